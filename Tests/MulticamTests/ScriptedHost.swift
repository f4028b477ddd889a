import MulticamMedia

/// A computer with scripted states, by seconds since its first reading.
final class ScriptedHost: HostReading {
    private let script: [(second: Int64, state: HostState)]
    private let first = ConditionLock<ClockTime?>(nil)
    private let readings = ConditionLock(0)

    init(_ script: [(second: Int64, state: HostState)]) {
        self.script = script
    }

    var readingCount: Int { readings.withLock { $0 } }

    func read(folder: String, at time: ClockTime) -> HostState {
        readings.withLock { $0 += 1 }
        let start = first.withLock { first in
            first = first ?? time
            return first ?? time
        }
        let second = (time - start).count / 1_000_000_000
        return script.last { $0.second <= second }?.state ?? HostState()
    }

    /// Returns the state of a computer that throttles at 80 °C and shuts down at 100 °C.
    static func heat(_ degrees: Int) -> HostState {
        var state = HostState()
        state.zones = [
            ThermalZone(
                name: "thermal_zone0 cpu", temperature: Temperature(degrees: degrees),
                passive: Temperature(degrees: 80), critical: Temperature(degrees: 100))
        ]
        state.missing = [MissingSource(.power, "this computer is a script")]
        return state
    }

    /// Returns the state of a computer whose tasks wait for memory 40 % of the time, or of a computer without
    /// pressure.
    static func memory(isShort: Bool) -> HostState {
        var state = heat(50)
        let share = isShort ? 0.4 : 0
        state.stalls = [ResourceStall(.memory, .machine, some: share, full: share)]
        return state
    }
}
