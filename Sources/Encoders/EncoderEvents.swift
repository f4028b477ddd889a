package import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamTiming

extension SessionEvent {
    /// Creates the event reporting that x264 has replaced a stream's hardware encoder.
    ///
    /// - Parameters:
    ///   - fallback: Time and reason of the replacement.
    ///   - stream: `program`, or the name of a camera track.
    ///   - rate: Rate of the stream's ticks.
    package init(_ fallback: EncoderFallback, of stream: String, rate: FrameRate) {
        let at = fallback.tick.map { rate.time(ofTick: $0) } ?? .zero
        let reason = fallback.reason.printable(limit: 1000)
        let words =
            fallback.tick == nil
            ? "encoding uses x264 because the hardware encoder did not start"
            : "encoding continues with x264 because the hardware encoder failed"
        self.init(
            .encoder(
                EncoderChange(
                    track: stream, reason: reason, text: "\(stream): \(words): \(reason)",
                    from: fallback.from.library, device: fallback.from.node.printable(), to: "libx264",
                    lost: Int64(fallback.lostFrames))),
            at: at)
    }

    /// Creates the event for a new encoder that continues a stream after a failure.
    package init(_ recovery: VideoEncoderWorker.Recovery, of stream: String, rate: FrameRate) {
        let reason = recovery.error.description.printable(limit: 1000)
        let frames = recovery.lost == 1 ? "1 frame was" : "\(recovery.lost) frames were"
        self.init(
            .encoder(
                EncoderChange(
                    track: stream, reason: reason,
                    text:
                        "\(stream): encoding continues with a new encoder because the previous one failed; "
                        + "\(frames) lost: \(reason)",
                    to: "libx264", lost: Int64(recovery.lost))),
            at: rate.time(ofTick: recovery.tick))
    }

    /// Creates the event for a video stream that ended because no encoder could continue it.
    package init(_ conclusion: VideoEncoderWorker.EarlyEnd, of stream: String, rate: FrameRate) {
        let reason = conclusion.error.description.printable(limit: 1000)
        let end = rate.time(ofTick: conclusion.tick)
        self.init(
            .encoder(
                EncoderChange(
                    track: stream, reason: reason,
                    text:
                        "\(stream): the video ends here because the encoder and three replacements failed. The rest of "
                        + "the recording continues. \(reason)",
                    ended_ns: end.nanoseconds)),
            at: end)
    }
}

extension SessionEvent {
    /// Creates the event for an audio encoder that failed and was replaced.
    ///
    /// - Parameters:
    ///   - outage: The range of audio that is silent because of the failure.
    ///   - track: `program`, or the name of a microphone's track.
    package init(_ outage: RestartingAudioEncoder.Outage, of track: String) {
        let length = AudioGrid.samples.time(ofTick: Int64(outage.samples.count))
        let reason = outage.reason.description.printable(limit: 1000)
        self.init(
            .drop(
                Drop(
                    track: track, cause: LossCause.encoder.rawValue, duration_ns: length.nanoseconds,
                    reason: reason,
                    text:
                        "the audio encoder of \(track) failed and was restarted. \(length.nanoseconds / 1_000_000) ms of its "
                        + "audio were replaced with silence. \(reason)")),
            at: AudioGrid.samples.time(ofTick: outage.samples.lowerBound))
    }

    /// Creates the event for an audio stream that ended because several encoders failed in a row.
    ///
    /// - Parameters:
    ///   - end: Position and reason of the stream's end.
    ///   - track: `program`, or the name of a microphone's track.
    package init(_ end: RestartingAudioEncoder.EarlyEnd, of track: String) {
        let at = AudioGrid.samples.time(ofTick: end.sample)
        let reason = end.failure.description.printable(limit: 1000)
        self.init(
            .warning(
                Warning(
                    text:
                        "the audio of \(track) ends here because \(RestartingAudioEncoder.maxRestartAttempts) new encoders failed in a row. "
                        + "The rest of the recording continues. \(reason)",
                    track: track, cause: LossCause.encoder.rawValue, reason: reason)),
            at: at)
    }
}

extension Manifest.Encoder {
    /// Describes the video encoder of a track.
    ///
    /// - Parameters:
    ///   - worker: The worker that encodes the track.
    ///   - rate: Rate of the track's ticks.
    ///   - settings: The encoder settings of the program, which are needed to render the program again; `nil`
    ///     for other tracks.
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
