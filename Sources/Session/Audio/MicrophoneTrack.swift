internal import Encoders
internal import FoundationEssentials
internal import Media
internal import Plan
internal import Timing
internal import Writers

/// A microphone's own track: its samples from the first to the last, in files of its own or as a stream of a movie,
/// and their counts. Timeline's thread only.
final class MicrophoneTrack {
    let name: String
    let role: String
    let channels: Int
    /// Index of the track's first sample in the recording: T0 + first/48 000 s.
    let first: Int64
    /// Index of the sample at which the track ends, or `nil` when it ends with the recording.
    private(set) var end: Int64?
    private(set) var hasEnded = false
    let file: WaveWriter?
    /// Encodes the track as a stream of a movie, or `nil` when the track has files of its own.
    let encoder: AudioEncoderWorker?
    let loudness: LoudnessStream?
    /// Samples per channel that were written.
    private(set) var written: Int64 = 0
    /// Samples per channel that are silence because audio is missing.
    private(set) var filled: Int64 = 0
    /// Samples of all channels that are parts of overloads: three or more in a row at full scale.
    private(set) var clipped: Int64 = 0
    private var split: (sample: Int64, relativePath: String, startedAt: Date)?

    /// Creates a track.
    ///
    /// - Parameters:
    ///   - planned: The track's plan.
    ///   - channels: Number of channels of the samples.
    ///   - first: Index of the track's first sample in the recording.
    ///   - file: The wave file, when the track has files of its own.
    ///   - encoder: The encoder, when the track is a stream of a movie.
    ///   - loudness: Measures the track.
    init(
        _ planned: PlannedMicrophoneTrack, channels: Int, first: Int64 = 0, file: WaveWriter?,
        encoder: AudioEncoderWorker?, loudness: LoudnessStream?
    ) {
        name = planned.name
        role = planned.role
        self.channels = channels
        self.first = first
        self.file = file
        self.encoder = encoder
        self.loudness = loudness
    }

    /// Takes the microphone's next samples, and records those within the track.
    ///
    /// - Parameters:
    ///   - samples: The samples, interleaved.
    ///   - position: Index of the first sample in the recording.
    ///   - silent: Samples that are silence because audio is missing.
    ///   - clipped: How many samples are parts of overloads.
    func take(_ samples: [Float], at position: Int64, silent: [Range<Int64>], clipped: Int64) {
        let block = position..<position + Int64(samples.count / channels)
        let own = block.clamped(to: first..<max(end ?? .max, first))
        if !own.isEmpty {
            let isWhole = own == block
            let from = Int(own.lowerBound - position) * channels
            record(isWhole ? samples : Array(samples[from..<from + own.count * channels]), over: own)
            filled += silent.reduce(0) { $0 + Int64($1.clamped(to: own).count) }
            self.clipped += clipped
        }
        if let end, end <= block.upperBound { finish() }
    }

    private func record(_ samples: [Float], over range: Range<Int64>) {
        written += Int64(range.count)
        encoder?.encode(samples)
        loudness?.add(samples)
        guard let file else { return }
        guard let split, split.sample < range.upperBound else { return file.append(samples) }
        let before = Int(max(split.sample - range.lowerBound, 0)) * channels
        file.append(Array(samples[..<before]))
        file.split(
            WaveWriter.Part(relativePath: split.relativePath, firstSample: split.sample),
            startedAt: split.startedAt)
        file.append(Array(samples[before...]))
        self.split = nil
    }

    /// Continues in a new file from a sample on that has not been reached yet.
    func split(at sample: Int64, relativePath: String, startedAt: Date) {
        split = (sample, relativePath, startedAt)
    }

    /// Ends the track before the recording, after one sample at the least.
    ///
    /// - Parameters:
    ///   - sample: Index of the first sample that the track does not have.
    ///   - position: Index of the first sample that has not been taken yet.
    /// - Returns: Index of the sample at which the track ends.
    func end(at sample: Int64, position: Int64) -> Int64 {
        let end = max(sample, position, first + 1)
        self.end = end
        return end
    }

    /// Ends the track: no sample follows.
    func finish() {
        guard !hasEnded else { return }
        hasEnded = true
        file?.finish()
        encoder?.finish()
        loudness?.finish()
    }

    /// The parts of the microphone's gaps that lie within the track, under the track's name.
    func parts(of gaps: [Gap]) -> [Gap] {
        let begin = AudioGrid.samples.time(ofTick: first)
        let end = AudioGrid.samples.time(ofTick: first + written)
        return gaps.compactMap { gap in
            let (from, to) = (max(gap.from, begin), min(gap.to, end))
            return from < to ? Gap(track: name, from: from, to: to, cause: gap.cause) : nil
        }
    }
}
