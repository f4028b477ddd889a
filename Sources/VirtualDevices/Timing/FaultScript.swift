public import Media

/// When a synthetic device is unplugged, plugged in again or silent, counted from the recording's first instant.
public struct FaultScript: Sendable, Equatable {
    /// A stretch of time, its end not included; without an end where it does not end.
    public struct Stretch: Sendable, Equatable {
        public let start: Nanoseconds
        public let end: Nanoseconds?

        public init(from start: Nanoseconds, to end: Nanoseconds?) {
            self.start = start
            self.end = end
        }
    }

    /// In order of time; only the last may be without end.
    public let outages: [Stretch]
    public let stalls: [Stretch]

    public init(outages: [Stretch] = [], stalls: [Stretch] = []) {
        self.outages = outages
        self.stalls = stalls
    }

    /// The n-th change of being connected: even ones are unpluggings, odd ones returns. `nil` when there is none.
    func change(_ index: Int, since start: ClockTime?) -> ClockTime? {
        guard let start, outages.indices.contains(index / 2) else { return nil }
        let outage = outages[index / 2]
        guard index % 2 == 1 else { return start + outage.start }
        return outage.end.map { start + $0 }
    }

    /// How many changes of being connected are over by an instant.
    func changeCount(by instant: ClockTime, since start: ClockTime?) -> Int {
        (0..<outages.count * 2).prefix { index in
            change(index, since: start).map { $0 <= instant } ?? false
        }.count
    }

    /// Whether the device is connected but tells nothing.
    func isStalled(at instant: ClockTime, since start: ClockTime?) -> Bool {
        guard let start, !stalls.isEmpty else { return false }
        let elapsed = instant - start
        return stalls.contains { stall in
            elapsed >= stall.start && stall.end.map { elapsed < $0 } ?? true
        }
    }
}
