/// Content of a sample of an audio track, and the reason for it.
///
/// The component that assembles the track's samples decides the fate of each range once. The fate is passed along with
/// the samples and their packets, and each file counts the fates of its samples.
public enum AudioFate: Sendable, Hashable {
    /// Audio as delivered by the microphone, or a mix.
    case captured
    /// Silence that replaces missing audio.
    case silence(LossCause)

    /// Returns the fate of the sample if it is replaced by silence.
    ///
    /// - Parameter cause: Why the sample's own audio can't be recorded.
    /// - Returns: `silence` with this cause; a sample that is already silence keeps its own cause.
    public func superseded(by cause: LossCause) -> Self {
        switch self {
        case .captured: .silence(cause)
        case .silence: self
        }
    }
}

/// Fates of consecutive samples.
public typealias AudioFateRun = Runs<AudioFate>

extension Runs<AudioFate> {
    /// Returns the fates of the same samples if they are replaced by silence.
    public func superseded(by cause: LossCause) -> Self { map { $0.superseded(by: cause) } }
}

/// Number of samples per channel by their fate.
public struct SampleCounts: Sendable, Equatable {
    /// Number of samples with captured audio.
    public private(set) var captured: Int64 = 0
    /// Number of silence samples that replace missing audio, by cause. No entry is zero.
    public private(set) var silence: [LossCause: Int64] = [:]

    /// Creates counts that are all zero.
    public init() {}

    /// Adds samples with the given fates.
    public mutating func add(_ fates: AudioFateRun) {
        for run in fates.runs {
            switch run.element {
            case .captured: captured += Int64(run.count)
            case .silence(let cause): silence[cause, default: 0] += Int64(run.count)
            }
        }
    }

    /// Adds the counts of another value.
    public mutating func add(_ other: Self) {
        captured += other.captured
        silence.merge(other.silence, uniquingKeysWith: +)
    }

    /// Number of silence samples, for all causes.
    public var silenceInAll: Int64 { silence.values.reduce(0, +) }
    /// Number of all samples.
    public var total: Int64 { captured + silenceInAll }
}

/// Consecutive samples of an audio track, and their fates.
public struct AudioBlock: Sendable {
    /// The samples, interleaved: full scale ± 1, 48 kHz.
    public let samples: [Float]
    /// The fate of each sample. All channels of a sample share one fate.
    public let fates: AudioFateRun

    /// Creates a block of audio.
    ///
    /// - Parameters:
    ///   - samples: The samples, interleaved.
    ///   - fates: The fate of each sample per channel.
    public init(_ samples: [Float], fates: AudioFateRun) {
        precondition(
            fates.isEmpty ? samples.isEmpty : samples.count % fates.count == 0,
            "the number of samples must be a multiple of the number of entries")
        self.samples = samples
        self.fates = fates
    }

    /// Number of samples per channel.
    public var count: Int { fates.count }
    /// Number of channels; 0 for an empty block.
    public var channels: Int { fates.isEmpty ? 0 : samples.count / fates.count }

    /// Returns the samples in a range of the block, with their fates.
    ///
    /// - Parameter range: Indices of the samples in the block, within `0..<count`.
    public subscript(range: Range<Int>) -> Self {
        guard range != 0..<count else { return self }
        return Self(
            Array(samples[range.lowerBound * channels..<range.upperBound * channels]),
            fates: fates.dropFirst(range.lowerBound).prefix(range.count))
    }
}
