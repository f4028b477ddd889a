public import Foundation

/// JSON as this program writes it: fields in alphabetical order, so that equal values are equal bytes, and plain slashes.
///
/// JSON has no number for what is infinite or not a number: that is written as the word `inf`, `-inf` or `nan`, and `decoder` reads
/// it again. So no measurement, however wrong, can keep a file from being written.
public enum JSONText {
    /// One line, without its end.
    public static func line(_ value: some Encodable) -> String {
        String(decoding: data(value, [.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }

    /// For people and files, indented.
    public static func pretty(_ value: some Encodable) -> Data {
        data(value, [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
    }

    /// Reads what is written here.
    public static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
        return decoder
    }

    private static let infinity = "inf"
    private static let notANumber = "nan"

    private static func data(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
        do {
            return try encoder.encode(value)
        } catch {
            preconditionFailure("a value of our own cannot be written as JSON: \(error)")
        }
    }
}
