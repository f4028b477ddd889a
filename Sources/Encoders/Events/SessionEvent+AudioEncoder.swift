internal import Media
internal import SessionFolder
internal import Timing

extension SessionEvent {
    /// The event of an audio encoder that failed and was replaced.
    ///
    /// - Parameters:
    ///   - outage: The stretch that is silence because of the failure.
    ///   - track: `program`, or the name of a microphone's track.
    package init(_ outage: RestartingAudioEncoder.Outage, of track: String) {
        let length = AudioGrid.samples.time(ofTick: Int64(outage.samples.count))
        let reason = outage.reason.description.printable(limit: 1000)
        self.init(
            .drop, at: AudioGrid.samples.time(ofTick: outage.samples.lowerBound),
            [
                "track": .string(track), "cause": .string(LossCause.encoder.rawValue),
                "duration_ns": .integer(length.nanoseconds), "reason": .string(reason),
                "text": .string(
                    "the audio encoder of \(track) failed and was opened anew: \(length.nanoseconds / 1_000_000) ms of its "
                        + "audio are silence in the file. \(reason)"),
            ])
    }

    /// The event of a stream of audio that ended because encoders failed one after the other.
    ///
    /// - Parameters:
    ///   - end: Where and why the stream ended.
    ///   - track: `program`, or the name of a microphone's track.
    package init(_ end: RestartingAudioEncoder.End, of track: String) {
        let at = AudioGrid.samples.time(ofTick: end.sample)
        let reason = end.failure.description.printable(limit: 1000)
        self.init(
            .warning, at: at,
            [
                "track": .string(track), "cause": .string(LossCause.encoder.rawValue),
                "reason": .string(reason),
                "text": .string(
                    "the audio of \(track) ends here, because \(RestartingAudioEncoder.mostTries) new encoders failed one after "
                        + "the other; everything else goes on. \(reason)"),
            ])
    }
}
