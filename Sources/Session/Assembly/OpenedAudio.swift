internal import Encoders
internal import FoundationEssentials
internal import Glibc
internal import Inputs
internal import Media
internal import Plan
internal import SessionFolder
internal import Writers

/// The file of a microphone that is to begin while the recording runs, and for a new microphone its resampler.
struct OpenedAudio: Sendable {
    /// The microphone's track, or `nil` when the microphone is only mixed.
    let planned: PlannedMicrophoneTrack?
    let input: MicrophoneInput
    private let resampler: Carried<any Resampling>?
    private let meter: Carried<any LoudnessMetering>
    private let file: WaveWriter?
    private let paths: [String]

    /// Makes the file, resampler and loudness meter. Waits for the disk, so it is not for the timeline's thread.
    ///
    /// - Throws: `RecordingError` when the file, the resampler or the meter cannot be made.
    init(
        _ planned: PlannedMicrophoneTrack?, of input: MicrophoneInput, isNew: Bool, disks: [RecordingDisk],
        codecs: any CodecFactory, date: Date
    ) throws(RecordingError) {
        self.planned = planned
        self.input = input
        do {
            let format = AudioFormat(rate: input.source.format.rate, channels: input.channels)
            resampler = isNew ? Carried(try codecs.makeResampler(from: format, name: input.role)) : nil
            meter = Carried(try codecs.makeLoudnessMeter(channels: input.channels, name: input.role))
            let disks = disks.filter { $0.takes(isProgram: false) }
            paths = planned.map { planned in disks.map { "\($0.folder.path)/\(planned.file)" } } ?? []
            file = try planned.map {
                try WaveWriter(disks, relativePath: $0.file, channels: input.channels, startedAt: date)
            }
        } catch let error as FileError {
            throw .file(error)
        } catch let error as EncodingError {
            throw .encoding(error)
        } catch {
            preconditionFailure("a microphone's track is made of files and converters only: \(error)")
        }
    }

    /// Makes the feed of a new microphone, without a track yet. To be called once.
    ///
    /// - Parameters:
    ///   - start: T0.
    ///   - first: Index of the first sample that will be asked for.
    ///   - heard: Index of the sample from which the microphone is heard.
    ///   - taps: Sinks of the calling program.
    /// - Returns: The feed.
    func makeFeed(start: ClockTime, first: Int64, heard: Int64, taps: TapBoard) -> MicrophoneFeed {
        guard let resampler else { preconditionFailure("a microphone is taken in once") }
        return MicrophoneFeed(
            input: input, resampler: resampler.value, start: start, first: first, heard: heard, taps: taps)
    }

    /// Makes the stream that measures the microphone's loudness from now on. To be called once.
    func loudness(in outputs: SessionOutputs, clock: any SessionClock, channels: Int) -> LoudnessStream {
        LoudnessStream(outputs.meter(waitsForRoom: !clock.isRealTime), meter, channels: channels)
    }

    /// Begins the microphone's track. To be called once.
    ///
    /// - Parameters:
    ///   - planned: The track's plan.
    ///   - microphone: The feed that fills the track.
    ///   - first: Index of the track's first sample.
    ///   - date: Date of the first sample.
    ///   - loudness: Measures the track.
    func begin(
        _ planned: PlannedMicrophoneTrack, of microphone: MicrophoneFeed, at first: Int64, date: Date,
        loudness: LoudnessStream
    ) {
        file?.begin(startedAt: date, from: first)
        microphone.begin(
            MicrophoneTrack(
                planned, channels: microphone.channels, first: first, file: file, encoder: nil,
                loudness: loudness))
    }

    /// Removes the empty files, since the recording has ended.
    func abandon() {
        file?.abandon()
        for path in paths { unlink(path) }
    }
}
