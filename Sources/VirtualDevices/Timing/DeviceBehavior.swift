package import MulticamMedia

/// The behavior of a synthetic camera or microphone. The behavior consists of a clock, a latency, and random and
/// scripted faults.
package struct DeviceBehavior: Sendable, Equatable {
    /// Start of frame or sample 0 on CLOCK_MONOTONIC; `nil` to derive this time from the seed and the role.
    package let phase: Nanoseconds?
    /// Clock error in parts per billion (10⁻⁹); positive if the clock runs fast.
    package let driftPerBillion: Int64
    /// Time from the end of a frame's exposure, or of an audio slice, to its delivery.
    package let latency: Nanoseconds
    /// Maximum error of a time stamp, in either direction.
    package let jitter: Nanoseconds
    /// Fraction of the frames or slices that are lost before delivery, 0…1.
    package let dropShare: Double
    /// Scripted outages and stalls.
    package let faults: FaultScript
    /// Name of the simulated USB controller that the device is connected to; `nil` for a separate controller.
    package let bus: String?
    /// Seed of the random choices; 1 by default.
    package let seed: UInt64

    init(_ selector: VirtualSelector) throws(VirtualDeviceError) {
        phase = try selector.milliseconds("phase", -86_400_000...86_400_000)
        driftPerBillion =
            try selector.number(
                "drift", "parts per million from -100000 to 100000", digits: 3, in: -100_000_000...100_000_000
            ) ?? 0
        latency = try selector.milliseconds("latency", 0...60_000) ?? .zero
        jitter = try selector.milliseconds("jitter", 0...60_000) ?? .zero
        dropShare = try selector.share("drop")
        faults = FaultScript(outages: try Self.outages(selector), stalls: try Self.stalls(selector))
        bus = try selector.value("bus", "the name of a USB controller") { $0.printable() == $0 ? $0 : nil }
        seed = try selector.value("seed", "a whole number from 0 to 18446744073709551615") { UInt64($0) } ?? 1
    }

    /// Pairs each disconnection with the reconnection that follows it.
    private static func outages(
        _ selector: VirtualSelector
    ) throws(VirtualDeviceError) -> [FaultScript.Interval] {
        let starts = try selector.instants("unplug")
        let ends = try selector.instants("replug")
        var outages: [FaultScript.Interval] = []
        for (index, start) in starts.enumerated() {
            let end = ends.indices.contains(index) ? ends[index] : nil
            outages.append(.init(from: start, to: end))
        }
        let isPaired = ends.count == starts.count || ends.count + 1 == starts.count
        let isOrdered = zip(starts, ends).allSatisfy(<) && zip(ends, starts.dropFirst()).allSatisfy(<)
        guard isPaired, isOrdered else {
            throw .usage(
                selector: selector.text,
                explanation: "`unplug` and `replug` must alternate, starting with `unplug`: "
                    + "`unplug=5,20&replug=8,25`; only the last `replug` can be omitted.")
        }
        return outages
    }

    private static func stalls(_ selector: VirtualSelector) throws(VirtualDeviceError) -> [FaultScript
        .Interval]
    {
        try selector.value(
            "stall", "START:DURATION in seconds after the start, for example `stall=5:2` or `stall=5:2,20:1`"
        ) { text in
            var stalls: [FaultScript.Interval] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                let sides = part.split(separator: ":", omittingEmptySubsequences: false)
                guard sides.count == 2, let start = VirtualSelector.seconds(sides[0]),
                    let length = VirtualSelector.seconds(sides[1]), length > .zero
                else { return nil }
                stalls.append(.init(from: start, to: start + length))
            }
            return stalls
        } ?? []
    }
}

/// The times when a synthetic device is disconnected, reconnected, or stalled, relative to the start of the recording.
package struct FaultScript: Sendable, Equatable {
    /// A time interval relative to T0 that includes `start` but not `end`.
    package struct Interval: Sendable, Equatable {
        /// Start of the interval, relative to T0.
        package let start: Nanoseconds
        /// End of the interval, relative to T0; `nil` if the interval never ends. The interval doesn't include this
        /// time.
        package let end: Nanoseconds?

        /// Creates an interval, which never ends if `end` is `nil`.
        package init(from start: Nanoseconds, to end: Nanoseconds?) {
            self.start = start
            self.end = end
        }
    }

    /// Intervals during which the device is disconnected, in chronological order. Only the last interval may
    /// be open-ended.
    package let outages: [Interval]
    /// Intervals during which the device is connected but delivers no data.
    package let stalls: [Interval]

    /// Creates a script. By default, no faults occur.
    package init(outages: [Interval] = [], stalls: [Interval] = []) {
        self.outages = outages
        self.stalls = stalls
    }

    /// Returns the time of the device's n-th change. Even-numbered changes are disconnections; odd-numbered changes are
    /// reconnections. Returns `nil` if no such change exists, or before the recording's `start` is known.
    func change(_ index: Int, since start: ClockTime?) -> ClockTime? {
        guard let start, outages.indices.contains(index / 2) else { return nil }
        let outage = outages[index / 2]
        guard index % 2 == 1 else { return start + outage.start }
        return outage.end.map { start + $0 }
    }

    /// Returns the number of disconnections and reconnections up to `instant`.
    func changeCount(by instant: ClockTime, since start: ClockTime?) -> Int {
        (0..<outages.count * 2).prefix { index in
            change(index, since: start).map { $0 <= instant } ?? false
        }.count
    }

    /// Returns whether the device is connected but delivers no data at `instant`.
    func isStalled(at instant: ClockTime, since start: ClockTime?) -> Bool {
        guard let start, !stalls.isEmpty else { return false }
        let elapsed = instant - start
        return stalls.contains { stall in
            elapsed >= stall.start && stall.end.map { elapsed < $0 } ?? true
        }
    }
}
