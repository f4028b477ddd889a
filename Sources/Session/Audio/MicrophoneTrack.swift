internal import Encoders
internal import Foundation
internal import Media
internal import Plan
internal import Timing
internal import Writers

/// A microphone's own track: its samples from the first to the last, in files of its own or as a stream of a movie, and what is in
/// them. Timeline's thread only.
final class MicrophoneTrack {
    let name: String
    let role: String
    let channels: Int
    /// The sample of the recording that it begins with: T0 + first/48 000.
    let first: Int64
    /// The sample at which it ends, where that is not the recording's end.
    private(set) var end: Int64?
    private(set) var hasEnded = false
    let file: WaveWriter?
    /// Fills its stream of a common movie, where there is one.
    let encoder: AudioEncoderWorker?
    let loudness: LoudnessStream?
    /// Samples per channel: all; those that are silence for want of audio; those at full scale that were parts of overloads.
    private(set) var written: Int64 = 0
    private(set) var filled: Int64 = 0
    private(set) var clipped: Int64 = 0
    private var split: (sample: Int64, relativePath: String, startedAt: Date)?

    /// - Parameters:
    ///   - planned: Its name and role.
    ///   - channels: Of the samples.
    ///   - first: See above.
    ///   - file: Where it has one of its own.
    ///   - encoder: Where it has not.
    ///   - loudness: Measures it.
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

    /// Takes the microphone's next samples, of which it records those that are its own.
    ///
    /// - Parameters:
    ///   - samples: Interleaved.
    ///   - position: Of the first.
    ///   - silent: Which are silence for want of audio.
    ///   - clipped: How many are parts of overloads.
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

    /// Goes on in a new file from a sample on that has not been reached yet.
    func split(at sample: Int64, relativePath: String, startedAt: Date) {
        split = (sample, relativePath, startedAt)
    }

    /// Ends it before the recording, with a sample at the least.
    ///
    /// - Parameters:
    ///   - sample: The first that it does not have.
    ///   - position: The first that has not been taken yet.
    /// - Returns: The sample at which it ends.
    func end(at sample: Int64, position: Int64) -> Int64 {
        let end = max(sample, position, first + 1)
        self.end = end
        return end
    }

    /// No sample follows.
    func finish() {
        guard !hasEnded else { return }
        hasEnded = true
        file?.finish()
        encoder?.finish()
        loudness?.finish()
    }

    /// What lies within it of the microphone's gaps, under its own name.
    func parts(of gaps: [Gap]) -> [Gap] {
        let begin = AudioGrid.samples.time(ofTick: first)
        let end = AudioGrid.samples.time(ofTick: first + written)
        return gaps.compactMap { gap in
            let (from, to) = (max(gap.from, begin), min(gap.to, end))
            return from < to ? Gap(track: name, from: from, to: to, cause: gap.cause) : nil
        }
    }
}
