internal import FoundationEssentials
internal import SessionFolder

/// JSON of messages whose fields are known only in part: a status of a later recorder keeps the fields that this program does not know.
enum WebJSON {
    /// Encodes a value in one line.
    static func text(_ value: some Encodable) -> String { JSONText.line(value) }

    /// Reads an object; `nil` when the text is none.
    static func object(_ text: String) -> [String: JSONValue]? {
        do {
            return try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }
}
