internal import Media

/// A rule for when a microphone counts as silent. A value: time comes with the audio.
struct SilenceWatch {
    /// The linear magnitude above which audio is heard.
    let level: Float
    /// The time after which missing audio counts as silence; `first` until something was heard for the first time.
    let limit: (first: Nanoseconds, later: Nanoseconds)

    private var quietSince: ClockTime?
    private var hasHeard = false
    private var highest: Float = 0
    private(set) var isSilent = false

    /// The time since which the microphone is silent; `nil` where it does not count as silent.
    var since: ClockTime? { isSilent ? quietSince : nil }

    /// The rule for a profile's limit: −60 dB of full scale, which is below any room with a person in it.
    static func ofProfile(_ limit: Nanoseconds) -> Self {
        Self(level: 0.001, limit: (limit, limit))
    }

    /// The rule for a missing signal: −80 dB of full scale, ten above a single bit of 16 and below the noise of any open
    /// microphone. It is told soon after the microphone was switched on, where something can still be done; later no sooner than
    /// after a pause that people make, for microphones that suppress what they take for noise.
    static let ofSignal = Self(level: 0.0001, limit: (.milliseconds(1500), .seconds(10)))

    init(level: Float, limit: (first: Nanoseconds, later: Nanoseconds)) {
        self.level = level
        self.limit = limit
    }

    /// Notes that a recording begins: silence before it does not count.
    mutating func begin(at time: ClockTime) {
        quietSince = quietSince.map { max($0, time) }
        isSilent = false
    }

    /// Takes a slice.
    ///
    /// - Parameters:
    ///   - peak: The magnitude of its highest sample.
    ///   - time: The time of its first sample.
    ///   - end: The time after its last sample.
    /// - Returns: The change when silence begins or ends, with its length; `nil` otherwise.
    mutating func take(peak: Float, from time: ClockTime, to end: ClockTime) -> Change? {
        let since = quietSince ?? time
        guard peak > level else {
            quietSince = since
            highest = max(highest, peak)
            return look(at: end)
        }
        // Silence that ends in this slice was long enough before it.
        defer {
            quietSince = end
            hasHeard = true
            isSilent = false
            highest = 0
        }
        return isSilent ? Change(isSilent: false, lasting: time - since, peak: peak) : nil
    }

    /// The silence that lasts at an instant; `nil` where there is none.
    func ongoing(at now: ClockTime) -> Change? {
        guard isSilent, let quietSince else { return nil }
        return Change(isSilent: true, lasting: now - quietSince, peak: highest)
    }

    /// Takes note that no audio came until an instant.
    ///
    /// - Parameters:
    ///   - now: The instant.
    ///   - isOver: Whether it has lasted too long already, whatever the rule allows.
    /// - Returns: The change when silence begins with that; `nil` otherwise.
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
