internal import MulticamMedia

/// Decides when a microphone counts as silent. This value type doesn't read a clock; it uses only the capture
/// times of the audio.
struct SilenceMonitor {
    /// Linear magnitude above which audio counts as a signal.
    let level: Float
    /// Minimum duration of silence that is reported. `first` applies until the first signal is detected, and
    /// `later` applies after that.
    let limit: (first: Nanoseconds, later: Nanoseconds)

    private var quietSince: ClockTime?
    private var hasDetectedSignal = false
    private var highest: Float = 0
    private(set) var isSilent = false

    /// Start time of the current silence. `nil` if the microphone doesn't count as silent.
    var since: ClockTime? { isSilent ? quietSince : nil }

    /// Creates the rule for a profile's limit. The threshold is −60 dBFS, which is below the sound level of
    /// any occupied room.
    static func ofProfile(_ limit: Nanoseconds) -> Self {
        Self(level: 0.001, limit: (limit, limit))
    }

    /// The rule for a missing signal. The threshold is −80 dBFS: 10 dB above the least significant bit at 16
    /// bits, and below the noise of any open microphone. After the microphone is switched on, the alarm is
    /// raised early, while the problem can still be corrected. Later, the alarm is raised only after a
    /// silence that is longer than a natural pause, because some microphones suppress quiet sound as noise.
    static let ofSignal = Self(level: 0.0001, limit: (.milliseconds(1500), .seconds(10)))

    init(level: Float, limit: (first: Nanoseconds, later: Nanoseconds)) {
        self.level = level
        self.limit = limit
    }

    /// Marks the start of a recording. Silence before the start of the recording doesn't count.
    mutating func beginRecording(at time: ClockTime) {
        quietSince = quietSince.map { max($0, time) }
        isSilent = false
    }

    /// Processes a slice of audio.
    ///
    /// - Parameters:
    ///   - peak: Magnitude of the highest sample.
    ///   - time: Time of the first sample.
    ///   - end: Time after the last sample.
    /// - Returns: The change if silence starts or ends, with the duration of the silence. `nil` otherwise.
    mutating func process(peak: Float, from time: ClockTime, to end: ClockTime) -> Change? {
        let since = quietSince ?? time
        guard peak > level else {
            quietSince = since
            highest = max(highest, peak)
            return checkSilence(at: end)
        }
        // If silence ends in this slice, it had already lasted long enough to be reported before the slice
        // began.
        defer {
            quietSince = end
            hasDetectedSignal = true
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
    ///   - ignoringLimit: Whether the missing audio counts as silence regardless of the rule's limit.
    /// - Returns: The change if the missing audio causes silence to start. `nil` otherwise.
    mutating func checkSilence(at now: ClockTime, ignoringLimit: Bool = false) -> Change? {
        guard !isSilent, let quietSince,
            ignoringLimit || now - quietSince >= (hasDetectedSignal ? limit.later : limit.first)
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
