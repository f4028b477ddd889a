/// The answer of an HTTP server, as far as WHIP needs it. None of it has been checked.
struct HTTPReply: Equatable {
    var status = 0
    var location: String?
    var contentType: String?
    /// At most one byte more than `SessionDescription.longest`.
    var body: [UInt8] = []
}
