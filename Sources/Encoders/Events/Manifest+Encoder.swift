package import Media
internal import SessionFolder

extension Manifest.Encoder {
    /// Describes the encoder of a track's frames.
    ///
    /// - Parameters:
    ///   - worker: The worker that encodes the track.
    ///   - rate: Rate of the track's ticks.
    package init(_ worker: VideoEncoderWorker, rate: FrameRate) {
        let fallback = worker.fallback
        let hardware = worker.hardware ?? fallback?.from
        self.init(
            name: hardware?.library ?? "libx264", device: hardware?.node.printable(),
            until_ns: fallback.map { fallback in
                fallback.tick.map { rate.time(ofTick: $0).nanoseconds } ?? 0
            }, reason: fallback?.reason.printable(limit: 1000))
    }
}
