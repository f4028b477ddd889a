internal import Media

/// One rule for when a microphone counts as silent. A value: time comes with the audio.
struct SilenceWatch {
    /// What is above it is heard: a linear magnitude.
    let level: Float
    /// How long nothing may be heard; `first` until something was for the first time.
    let limit: (first: Nanoseconds, later: Nanoseconds)

    private var quietSince: ClockTime?
    private var hasHeard = false
    private var highest: Float = 0
    private(set) var isSilent = false

    /// −60 dB of full scale: below any room with a person in it.
    static func ofProfile(_ limit: Nanoseconds) -> Self {
        Self(level: 0.001, limit: (limit, limit))
    }

    /// −80 dB of full scale, ten above a single bit of 16: below the noise of any open microphone. Told soon after it was
    /// switched on, where something can still be done; later no sooner than after a pause that people make, for those that
    /// suppress what they take for noise.
    static let ofSignal = Self(level: 0.0001, limit: (.milliseconds(1500), .seconds(10)))

    init(level: Float, limit: (first: Nanoseconds, later: Nanoseconds)) {
        self.level = level
        self.limit = limit
    }

    /// What was before does not count any more.
    mutating func begin(at time: ClockTime) {
        quietSince = quietSince.map { max($0, time) }
        isSilent = false
    }

    /// Passes a slice.
    ///
    /// - Parameters:
    ///   - peak: The magnitude of its highest sample.
    ///   - time: Of its first sample.
    ///   - end: After its last one.
    /// - Returns: Whether silence has begun or ended, and since when it was silent.
    mutating func take(peak: Float, from time: ClockTime, to end: ClockTime) -> Change? {
        let since = quietSince ?? time
        guard peak > level else {
            quietSince = since
            highest = max(highest, peak)
            return look(at: end)
        }
        // Silence that the slice ends was long enough before it.
        defer {
            quietSince = end
            hasHeard = true
            isSilent = false
            highest = 0
        }
        return isSilent ? Change(isSilent: false, lasting: time - since, peak: peak) : nil
    }

    /// What lasts at an instant.
    func ongoing(at now: ClockTime) -> Change? {
        guard isSilent, let quietSince else { return nil }
        return Change(isSilent: true, lasting: now - quietSince, peak: highest)
    }

    /// Nothing came until an instant.
    mutating func look(at now: ClockTime) -> Change? {
        guard !isSilent, let quietSince, now - quietSince >= (hasHeard ? limit.later : limit.first) else {
            return nil
        }
        isSilent = true
        return Change(isSilent: true, lasting: now - quietSince, peak: highest)
    }

    struct Change {
        let isSilent: Bool
        let lasting: Nanoseconds
        let peak: Float
    }
}
