/// Whether a sample of an audio track is captured audio or silence, and the reason for silence.
///
/// The component that assembles the track's samples determines the fate of each range of samples exactly
/// once. The fate is passed along with the samples and the packets that contain them, and is counted for each
/// file.
package enum AudioFate: Sendable, Hashable {
    /// Audio as delivered by the microphone, or a mix of such audio.
    case captured
    /// Silence that replaces missing audio.
    case silence(LossCause)

    /// Returns the fate that the sample has after it is replaced by silence.
    ///
    /// - Parameter cause: Reason why the sample's original audio can't be recorded.
    /// - Returns: `silence` with this cause; a sample that was already silence keeps its original cause.
    package func superseded(by cause: LossCause) -> Self {
        switch self {
        case .captured: .silence(cause)
        case .silence: self
        }
    }
}

/// Fates of consecutive audio samples.
package typealias AudioFateRun = Runs<AudioFate>

extension Runs<AudioFate> {
    /// Returns the fates that the samples have after they are replaced by silence.
    package func superseded(by cause: LossCause) -> Self { map { $0.superseded(by: cause) } }
}

/// Number of samples per channel by their fate.
package struct SampleCounts: Sendable, Equatable {
    /// Number of samples with captured audio.
    package private(set) var captured: Int64 = 0
    /// Number of silence samples that replace missing audio, by cause. Causes without silence samples aren't
    /// included.
    package private(set) var silence: [LossCause: Int64] = [:]

    /// Creates sample counts that are all zero.
    package init() {}

    /// Adds samples with the given fates.
    package mutating func add(_ fates: AudioFateRun) {
        for run in fates.runs {
            switch run.element {
            case .captured: captured += Int64(run.count)
            case .silence(let cause): silence[cause, default: 0] += Int64(run.count)
            }
        }
    }

    /// Adds other sample counts to these counts.
    package mutating func add(_ other: Self) {
        captured += other.captured
        silence.merge(other.silence, uniquingKeysWith: +)
    }

    /// Total number of silence samples, for all causes.
    package var totalSilence: Int64 { silence.values.reduce(0, +) }
    /// Total number of samples per channel.
    package var total: Int64 { captured + totalSilence }
}

/// A block of consecutive samples of an audio track, with the fate of each sample.
package struct AudioBlock: Sendable {
    /// The interleaved samples at 48 kHz; full scale is ± 1.
    package let samples: [Float]
    /// The fate of each sample. All channels of a sample have the same fate.
    package let fates: AudioFateRun

    /// Creates a block of audio.
    ///
    /// - Parameters:
    ///   - samples: The interleaved samples.
    ///   - fates: The fate of each sample, shared by all channels.
    package init(_ samples: [Float], fates: AudioFateRun) {
        precondition(
            fates.isEmpty ? samples.isEmpty : samples.count % fates.count == 0,
            "the number of samples must be a multiple of the number of entries")
        self.samples = samples
        self.fates = fates
    }

    /// Number of samples per channel.
    package var count: Int { fates.count }
    /// Number of channels; 0 for an empty block.
    package var channels: Int { fates.isEmpty ? 0 : samples.count / fates.count }

    /// Returns the samples in a range of the block, with their fates.
    ///
    /// - Parameter range: Indices of the samples in the block, within `0..<count`.
    package subscript(range: Range<Int>) -> Self {
        guard range != 0..<count else { return self }
        return Self(
            Array(samples[range.lowerBound * channels..<range.upperBound * channels]),
            fates: fates.dropFirst(range.lowerBound).prefix(range.count))
    }
}
