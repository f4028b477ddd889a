internal import Media

extension SessionEvent {
    /// x264 encodes what hardware was to.
    ///
    /// - Parameters:
    ///   - fallback: What happened.
    ///   - stream: `program` or a role.
    ///   - rate: Of the stream's ticks.
    init(_ fallback: EncoderFallback, of stream: String, rate: FrameRate) {
        let at = fallback.tick.map { rate.time(ofTick: $0) } ?? .zero
        var fields: [String: JSONValue] = [
            "track": .string(stream), "from": .string(fallback.from.library),
            "device": .string(fallback.from.node.printable()), "to": .string("libx264"),
            "reason": .string(fallback.reason.printable(limit: 1000)),
            "lost": .integer(Int64(fallback.lostPictures)),
        ]
        let words =
            fallback.tick == nil
            ? "x264 encodes it, since its hardware encoder did not start"
            : "x264 goes on, since its hardware encoder failed"
        fields["text"] = .string("\(stream): \(words): \(fallback.reason.printable(limit: 1000))")
        self.init(.encoder, at: at, fields)
    }
}
