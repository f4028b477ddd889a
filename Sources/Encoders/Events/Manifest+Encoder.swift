package import Media
internal import SessionFolder

extension Manifest.Encoder {
    /// Describes the encoder of a track's frames.
    ///
    /// - Parameters:
    ///   - lane: The worker that encodes the track.
    ///   - rate: Rate of the track's ticks.
    package init(_ lane: VideoEncoderWorker, rate: FrameRate) {
        let fallback = lane.fallback
        let hardware = lane.hardware ?? fallback?.from
        self.init(
            name: hardware?.library ?? "libx264", device: hardware?.node.printable(),
            until_ns: fallback.map { fallback in
                fallback.tick.map { rate.time(ofTick: $0).nanoseconds } ?? 0
            }, reason: fallback?.reason.printable(limit: 1000))
    }
}
