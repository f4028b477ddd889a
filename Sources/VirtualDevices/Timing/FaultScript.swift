public import Media

/// When a synthetic device is unplugged, plugged in again or silent, counted from the recording's first instant.
public struct FaultScript: Sendable, Equatable {
    /// A stretch of time [`start`, `end`) counted from T0.
    public struct Stretch: Sendable, Equatable {
        /// Start of the stretch, counted from T0.
        public let start: Nanoseconds
        /// End of the stretch, counted from T0, not included; `nil` when the stretch never ends.
        public let end: Nanoseconds?

        /// Makes a stretch; `end` of `nil` never ends.
        public init(from start: Nanoseconds, to end: Nanoseconds?) {
            self.start = start
            self.end = end
        }
    }

    /// Stretches during which the device is unplugged, in order of time; only the last may lack an end.
    public let outages: [Stretch]
    /// Stretches during which the device is connected but delivers nothing.
    public let stalls: [Stretch]

    /// Makes a script; by default nothing happens.
    public init(outages: [Stretch] = [], stalls: [Stretch] = []) {
        self.outages = outages
        self.stalls = stalls
    }

    /// The instant of the device's n-th change: even ones are unpluggings, odd ones returns. `nil` when there is none,
    /// or before the recording's `start` is known.
    func change(_ index: Int, since start: ClockTime?) -> ClockTime? {
        guard let start, outages.indices.contains(index / 2) else { return nil }
        let outage = outages[index / 2]
        guard index % 2 == 1 else { return start + outage.start }
        return outage.end.map { start + $0 }
    }

    /// Number of unpluggings and returns that happened by `instant`.
    func changeCount(by instant: ClockTime, since start: ClockTime?) -> Int {
        (0..<outages.count * 2).prefix { index in
            change(index, since: start).map { $0 <= instant } ?? false
        }.count
    }

    /// Whether the device is connected but delivers nothing at `instant`.
    func isStalled(at instant: ClockTime, since start: ClockTime?) -> Bool {
        guard let start, !stalls.isEmpty else { return false }
        let elapsed = instant - start
        return stalls.contains { stall in
            elapsed >= stall.start && stall.end.map { elapsed < $0 } ?? true
        }
    }
}
