package import Media
internal import SessionFolder

extension SessionEvent {
    /// The event of a stream that x264 encodes in place of a hardware encoder.
    ///
    /// - Parameters:
    ///   - fallback: When and why x264 took over.
    ///   - stream: `program`, or the name of a camera's track.
    ///   - rate: Rate of the stream's ticks.
    package init(_ fallback: EncoderFallback, of stream: String, rate: FrameRate) {
        let at = fallback.tick.map { rate.time(ofTick: $0) } ?? .zero
        var fields: [String: JSONValue] = [
            "track": .string(stream), "from": .string(fallback.from.library),
            "device": .string(fallback.from.node.printable()), "to": .string("libx264"),
            "reason": .string(fallback.reason.printable(limit: 1000)),
            "lost": .integer(Int64(fallback.lostFrames)),
        ]
        let words =
            fallback.tick == nil
            ? "x264 encodes it, since its hardware encoder did not start"
            : "x264 goes on, since its hardware encoder failed"
        fields["text"] = .string("\(stream): \(words): \(fallback.reason.printable(limit: 1000))")
        self.init(.encoder, at: at, fields)
    }

    /// The event of a new encoder that continues a stream after another failed.
    package init(_ recovery: VideoEncoderWorker.Recovery, of stream: String, rate: FrameRate) {
        let reason = recovery.error.description.printable(limit: 1000)
        let frames = recovery.lost == 1 ? "1 frame is" : "\(recovery.lost) frames are"
        self.init(
            .encoder, at: rate.time(ofTick: recovery.tick),
            [
                "track": .string(stream), "to": .string("libx264"), "reason": .string(reason),
                "lost": .integer(Int64(recovery.lost)),
                "text": .string(
                    "\(stream): a new encoder goes on, since its encoder failed; \(frames) lost to that: \(reason)"
                ),
            ])
    }

    /// The event of a stream of frames that ended because no encoder would continue it.
    package init(_ conclusion: VideoEncoderWorker.Conclusion, of stream: String, rate: FrameRate) {
        let reason = conclusion.error.description.printable(limit: 1000)
        let end = rate.time(ofTick: conclusion.tick)
        self.init(
            .encoder, at: end,
            [
                "track": .string(stream), "reason": .string(reason), "ended_ns": .integer(end.nanoseconds),
                "text": .string(
                    "\(stream): its frames end here, since its encoder failed and three new ones did too; the rest of "
                        + "the recording goes on: \(reason)"),
            ])
    }
}
