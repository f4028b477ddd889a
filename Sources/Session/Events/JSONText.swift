public import Foundation

/// JSON as this program writes it: fields in alphabetical order, so that equal values are equal bytes, and plain slashes.
public enum JSONText {
    /// One line, without its end.
    public static func line(_ value: some Encodable) -> String {
        String(decoding: data(value, [.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }

    /// For people and files, indented.
    public static func pretty(_ value: some Encodable) -> Data {
        data(value, [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
    }

    private static func data(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return try encoder.encode(value)
        } catch {
            preconditionFailure("a value of our own cannot be written as JSON: \(error)")
        }
    }
}
