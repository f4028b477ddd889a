package import Media
internal import SessionFolder

extension Manifest.Encoder {
    /// Describes the encoder of a track's frames.
    ///
    /// - Parameters:
    ///   - worker: The worker that encodes the track.
    ///   - rate: Rate of the track's ticks.
    ///   - settings: How the program is encoded, so that it can be rendered alike; `nil` for other tracks.
    package init(_ worker: VideoEncoderWorker, rate: FrameRate, settings: VideoEncodingSettings? = nil) {
        let fallback = worker.fallback
        let hardware = worker.hardware ?? fallback?.from
        self.init(
            name: hardware?.library ?? "libx264", device: hardware?.node.printable(),
            until_ns: fallback.map { fallback in
                fallback.tick.map { rate.time(ofTick: $0).nanoseconds } ?? 0
            }, reason: fallback?.reason.printable(limit: 1000),
            preset: settings?.preset.rawValue, quality: settings?.quality)
    }
}
