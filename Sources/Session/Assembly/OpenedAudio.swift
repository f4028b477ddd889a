internal import Foundation
internal import Glibc
internal import Media
internal import Plan
internal import SessionFolder
internal import Writers

/// What it takes to record a microphone that is to begin while the recording runs: its file, and where it is a new one what aligns it.
struct OpenedAudio: Sendable {
    /// `nil` where it is only heard.
    let planned: PlannedMicrophoneTrack?
    let input: MicrophoneInput
    private let resampler: Carried<any Resampling>?
    private let meter: Carried<any LoudnessMetering>
    private let file: WaveWriter?
    private let paths: [String]

    /// Makes it. Takes as long as the disk does, so it is nothing for the timeline's thread.
    ///
    /// - Throws: When the file or what converts and measures the audio cannot be made.
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

    /// What a new microphone's audio comes through. To be called once.
    ///
    /// - Parameters:
    ///   - start: T0.
    ///   - first: The first sample that is asked for.
    /// - Returns: Not recorded yet.
    func makeFeed(start: ClockTime, first: Int64) -> MicrophoneFeed {
        guard let resampler else { preconditionFailure("a microphone is taken in once") }
        return MicrophoneFeed(input: input, resampler: resampler.value, start: start, first: first)
    }

    /// Measures it from now on. To be called once.
    func loudness(in outputs: SessionOutputs, clock: any SessionClock, channels: Int) -> LoudnessStream {
        LoudnessStream(outputs.meter(waitsForRoom: !clock.isRealTime), meter, channels: channels)
    }

    /// Begins its track. To be called once.
    ///
    /// - Parameters:
    ///   - planned: The track.
    ///   - microphone: Fills it.
    ///   - first: Its first sample.
    ///   - date: Of that.
    ///   - loudness: Measures it.
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

    /// Removes the files, which have nothing in them: the recording has ended.
    func abandon() {
        file?.abandon()
        for path in paths { unlink(path) }
    }
}
