internal import Encoders
internal import Inputs
internal import Media
internal import Plan
internal import Timing
internal import Writers

/// The encoders of the program during one pause between recordings, whose packets go to taps alone. Standby's thread only.
final class StandbyEncoders {
    /// The instant of tick 0 and of sample 0.
    let start: ClockTime
    /// What the encoders were made for.
    let settings: VideoEncodingSettings
    let video: VideoEncoderWorker
    /// Encodes the mix, or `nil` for a program without audio.
    let audio: AudioEncoderWorker?

    /// Whether the mix is encoded, too.
    var hasAudio: Bool { audio != nil }

    /// Starts the encoders.
    ///
    /// - Parameters:
    ///   - program: The program as it is planned.
    ///   - codecs: Makes the encoders.
    ///   - taps: Get packets and composed frames.
    ///   - start: The instant of tick 0 and of sample 0.
    /// - Throws: `EncodingError` when there is no encoder.
    init(
        _ program: PlannedProgram, codecs: any CodecFactory, taps: TapBoard, since start: ClockTime
    ) throws(EncodingError) {
        self.start = start
        settings = program.settings
        func sink(of parameters: StreamParameters) -> TrackSink {
            TrackSink(named: "program, on standby") { packet in
                taps.give(packet, parameters: parameters, since: start, isOfStandby: true)
            }
        }
        let makeAudio: RestartingAudioEncoder.Making = { () throws(EncodingError) in
            Carried(
                try codecs.makeAudioEncoder(
                    channels: AudioGrid.mixChannels, bitrate: program.audioBitrate, name: "program"))
        }
        let frames = try codecs.makeVideoEncoder(settings, name: SessionPlan.programOwner)
        let framesSink = sink(of: frames.parameters)
        if program.mix.isEmpty {
            audio = nil
        } else {
            let first = try makeAudio().value
            let audioSink = sink(of: first.parameters)
            audio = AudioEncoderWorker(encoder: first, making: makeAudio, to: audioSink)
        }
        video = VideoEncoderWorker(
            name: "program", encoder: frames,
            another: VideoEncoderWorker.making(settings, named: SessionPlan.programOwner, by: codecs),
            to: framesSink,
            watching: OutputAssembly.watching(for: taps, since: start, rate: settings.rate),
            waitsForRoom: false)
    }

    /// Ends the encoders, and waits for them. What they still have reaches the taps.
    func finish() {
        video.finish()
        audio?.finish()
        video.join()
        audio?.join()
    }
}
