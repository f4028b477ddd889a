public import FoundationEssentials

/// JSON as multicam writes it: fields in alphabetical order, so that equal values give equal bytes, and slashes without a
/// backslash.
///
/// JSON has no number for infinity and for what is not a number: these are written as the strings `inf`, `-inf` and `nan`, and
/// `decoder()` reads them again. So no measurement, however wrong, keeps a file from being written.
public enum JSONText {
    /// Encodes a value as one line without a line break at its end.
    public static func line(_ value: some Encodable) -> String {
        String(decoding: data(value, [.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }

    /// Encodes a value with indentation, for files that people read.
    public static func pretty(_ value: some Encodable) -> Data {
        data(value, [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
    }

    /// Makes a decoder that reads what `line(_:)` and `pretty(_:)` write, including `inf`, `-inf` and `nan`.
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
