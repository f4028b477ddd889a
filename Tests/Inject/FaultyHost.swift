import MulticamMedia

/// A healthy computer that reports a problem or impossible values at one call.
final class FaultyHost: HostReading {
    static let kinds = ["nothing", "freeZero", "freeNegative", "freeMin", "freeMax", "nan", "hot", "cold"]

    private let plan: FaultPlan
    /// The folder of the recording, as opposed to that of the backup.
    private let own: String

    init(_ plan: FaultPlan, own: String) {
        self.plan = plan
        self.own = own
    }

    func read(folder: String, at time: ClockTime) -> HostState {
        var state = HostState()
        let kind = plan.next(folder.hasPrefix(own) ? "host" : "host.backup")
        guard kind != "nothing" else { return state }
        var free: Int64 = 1 << 40
        switch kind {
        case "freeZero": free = 0
        case "freeNegative": free = -1
        case "freeMin": free = .min
        case "freeMax": free = .max
        case "nan":
            state.stalls = ResourceStall.Resource.allCases.map {
                ResourceStall($0, .machine, some: .nan, full: -.infinity)
            }
            state.speed = ProcessorSpeed(
                allowed: .nan, capped: .max, count: .min, throttlings: .min)
            state.share = ProcessorShare(processors: .min, quota: .nan, periods: .min, throttledPeriods: .max)
            state.power = PowerSupply(
                isDischarging: true, charge: .nan, timeToEmpty: Nanoseconds(.min))
        case "hot", "cold":
            let degrees = kind == "hot" ? Int.max : Int.min
            state.zones = [
                ThermalZone(
                    name: "thermal_zone0", temperature: Temperature(millidegrees: degrees),
                    passive: Temperature(millidegrees: .min), critical: Temperature(millidegrees: .max))
            ]
        default: break
        }
        state.disk = DiskSpace(freeBytes: free, recordedBytes: 1000)
        return state
    }
}
