internal import Media

/// Decides when a microphone counts as silent. This value type uses only the capture times of the audio.
struct SilenceMonitor {
    /// Linear magnitude above which audio counts as a signal.
    let level: Float
    /// Minimum duration of silence. `first` applies until the first signal is detected.
    let limit: (first: Nanoseconds, later: Nanoseconds)

    private var quietSince: ClockTime?
    private var hasHeard = false
    private var highest: Float = 0
    private(set) var isSilent = false

    /// Start of the silence. `nil` if the microphone doesn't count as silent.
    var since: ClockTime? { isSilent ? quietSince : nil }

    /// Creates the rule for a profile's limit. The threshold is −60 dBFS, which is below the level of any room with a
    /// person in it.
    static func ofProfile(_ limit: Nanoseconds) -> Self {
        Self(level: 0.001, limit: (limit, limit))
    }

    /// The rule for a missing signal. The threshold is −80 dBFS: 10 dB above the least significant bit at 16
    /// bits, and below the noise of any open microphone. After the microphone is switched on, the alarm is
    /// raised early, while the problem can still be corrected. Later, the alarm is raised only after a silence longer
    /// than a natural pause, because some microphones suppress sound that they take for noise.
    static let ofSignal = Self(level: 0.0001, limit: (.milliseconds(1500), .seconds(10)))

    init(level: Float, limit: (first: Nanoseconds, later: Nanoseconds)) {
        self.level = level
        self.limit = limit
    }

    /// Marks the start of a recording. Earlier silence doesn't count.
    mutating func begin(at time: ClockTime) {
        quietSince = quietSince.map { max($0, time) }
        isSilent = false
    }

    /// Processes a slice.
    ///
    /// - Parameters:
    ///   - peak: Magnitude of the highest sample.
    ///   - time: Time of the first sample.
    ///   - end: Time after the last sample.
    /// - Returns: The change if silence starts or ends, with its duration. `nil` otherwise.
    mutating func take(peak: Float, from time: ClockTime, to end: ClockTime) -> Change? {
        let since = quietSince ?? time
        guard peak > level else {
            quietSince = since
            highest = max(highest, peak)
            return look(at: end)
        }
        // Silence that ends in this slice was already long enough before the slice to be reported.
        defer {
            quietSince = end
            hasHeard = true
            isSilent = false
            highest = 0
        }
        return isSilent ? Change(isSilent: false, lasting: time - since, peak: peak) : nil
    }

    /// Returns the silence in progress at the given time. Returns `nil` if the microphone isn't silent.
    func ongoing(at now: ClockTime) -> Change? {
        guard isSilent, let quietSince else { return nil }
        return Change(isSilent: true, lasting: now - quietSince, peak: highest)
    }

    /// Records that no audio arrived up to the given time.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isOver: Whether the audio has been missing for too long, regardless of the rule's limit.
    /// - Returns: The change if silence starts because of this. `nil` otherwise.
    mutating func look(at now: ClockTime, isOver: Bool = false) -> Change? {
        guard !isSilent, let quietSince,
            isOver || now - quietSince >= (hasHeard ? limit.later : limit.first)
        else { return nil }
        isSilent = true
        return Change(isSilent: true, lasting: now - quietSince, peak: highest)
    }

    struct Change {
        let isSilent: Bool
        let lasting: Nanoseconds
        let peak: Float
    }
}
