internal import Foundation
internal import SessionFolder

/// JSON of messages whose fields are known only in part: a status of a later recorder keeps the fields that this program does not know.
enum WebJSON {
    /// Encodes a value in one line.
    static func text(_ value: some Encodable) -> String { JSONText.line(value) }

    /// Reads an object; `nil` when the text is none.
    static func object(_ text: String) -> [String: Any]? { object(Data(text.utf8)) }

    /// Reads an object; `nil` when the bytes are none.
    static func object(_ bytes: Data) -> [String: Any]? {
        do {
            return try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        } catch {
            return nil
        }
    }

    /// Writes an object that came from `object`.
    static func text(of object: [String: Any]) -> String {
        do {
            return String(
                decoding: try JSONSerialization.data(
                    withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]),
                as: UTF8.self)
        } catch {
            return "{}"
        }
    }
}
