public import Media

/// How a synthetic camera or microphone behaves: its clock, its latency, its random and scripted faults.
public struct DeviceBehavior: Sendable, Equatable {
    /// Start of frame or sample 0 on CLOCK_MONOTONIC; drawn from seed and role when `nil`.
    public let phase: Nanoseconds?
    /// Clock error in parts per billion (10⁻⁹), above 0 when the clock runs fast.
    public let driftPerBillion: Int64
    /// Time from the end of exposure, or of a slice, to delivery.
    public let latency: Nanoseconds
    /// Largest error of a time stamp, in either direction.
    public let jitter: Nanoseconds
    /// Share of the frames or slices that get lost before delivery, 0…1.
    public let dropShare: Double
    /// Scripted outages and stalls.
    public let faults: FaultScript
    /// Name of the USB controller that the device pretends to be attached to; `nil` for one of its own.
    public let bus: String?
    /// Seed of the random choices; 1 unless the selector sets it.
    public let seed: UInt64

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

    /// Pairs each unplugging with the return that follows it.
    private static func outages(
        _ selector: VirtualSelector
    ) throws(VirtualDeviceError) -> [FaultScript.Stretch] {
        let starts = try selector.instants("unplug")
        let ends = try selector.instants("replug")
        var outages: [FaultScript.Stretch] = []
        for (index, start) in starts.enumerated() {
            let end = ends.indices.contains(index) ? ends[index] : nil
            outages.append(.init(from: start, to: end))
        }
        let isPaired = ends.count == starts.count || ends.count + 1 == starts.count
        let isOrdered = zip(starts, ends).allSatisfy(<) && zip(ends, starts.dropFirst()).allSatisfy(<)
        guard isPaired, isOrdered else {
            throw .usage(
                selector: selector.text,
                explanation: "`unplug` and `replug` must take turns, beginning with `unplug`: "
                    + "`unplug=5,20&replug=8,25`; only the last `replug` may be left out.")
        }
        return outages
    }

    private static func stalls(_ selector: VirtualSelector) throws(VirtualDeviceError) -> [FaultScript
        .Stretch]
    {
        try selector.value(
            "stall", "at:for in seconds after the start, as in `stall=5:2` or `stall=5:2,20:1`"
        ) { text in
            var stalls: [FaultScript.Stretch] = []
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
