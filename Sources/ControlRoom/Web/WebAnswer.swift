internal import FoundationEssentials

/// The answer to a request.
struct WebAnswer: Sendable {
    /// HTTP's status, such as 200.
    var status: Int
    /// The content's media type.
    var type = "text/plain; charset=utf-8"
    /// The content; `nil` for none.
    var bytes: Data?
    /// More headers.
    var headers: [String: String] = [:]

    /// Makes an answer with content.
    init(_ status: Int, _ type: String, _ bytes: Data) {
        (self.status, self.type, self.bytes) = (status, type, bytes)
    }

    /// Makes an answer of JSON text.
    init(_ status: Int, json: String) { self.init(status, "application/json", Data(json.utf8)) }

    /// Makes an answer that says a sentence, as `{"ok":false,"text":"…"}`.
    init(_ status: Int, saying sentence: String) {
        struct Refusal: Encodable {
            let ok = false
            let text: String
        }
        self.init(status, json: WebJSON.text(Refusal(text: sentence)))
    }
}
