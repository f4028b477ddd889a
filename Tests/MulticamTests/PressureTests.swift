import Foundation
import Media
import MulticamKit
import Session
import Testing

@Suite("system pressure while recording")
struct PressureTests {
    /// A computer that follows a script: what it says from each second of its first look on.
    private final class ScriptedHost: HostReading {
        private let script: [(second: Int64, state: HostState)]
        private let first = Monitor<ClockTime?>(nil)
        private let looks = Monitor(0)

        init(_ script: [(second: Int64, state: HostState)]) {
            self.script = script
        }

        var lookCount: Int { looks.withLock { $0 } }

        func read(folder: String, at time: ClockTime) -> HostState {
            looks.withLock { $0 += 1 }
            let start = first.withLock { first in
                first = first ?? time
                return first ?? time
            }
            let second = (time - start).count / 1_000_000_000
            return script.last { $0.second <= second }?.state ?? HostState()
        }
    }

    private static let profile = """
        cameras:
          a: { device: "virtual:clap", size: 320x180, rate: 30 }
        """

    private static func zone(_ degrees: Int) -> HostState {
        var state = HostState()
        state.zones = [
            ThermalZone(
                name: "thermal_zone0 cpu", temperature: Temperature(degrees: degrees),
                passive: Temperature(degrees: 80), critical: Temperature(degrees: 100))
        ]
        state.missing = [MissingSource(.power, "this computer is a script")]
        return state
    }

    @Test("levels become events once each, and the manifest says the peak, its causes and what is missing")
    func course() async throws {
        let host = ScriptedHost([
            (0, Self.zone(50)), (2, Self.zone(76)), (4, Self.zone(81)), (6, Self.zone(99)),
            (8, Self.zone(50)),
        ])
        let recording = try await Recording(Self.profile, seconds: 20, host: host)
        let lines = recording.events.filter { $0.contains("\"event\":\"pressure\"") }
        let changes = try lines.map { line in
            let fields = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            return "\(fields["was"] ?? "")>\(fields["level"] ?? "")"
        }
        #expect(changes == ["nominal>fair", "fair>serious", "serious>shutdown", "shutdown>nominal"])
        #expect(!lines[0].contains("\"text\":\"system pressure"))
        #expect(lines[1].contains("system pressure is serious: thermal_zone0 cpu is at 81 °C"))
        #expect(lines[2].contains("Stop the recording"))
        #expect(lines[3].contains("system pressure is nominal."))
        let pressure = try #require(recording.manifest.cost?.pressure)
        #expect(pressure.peak == .shutdown && pressure.peak_cost >= 3)
        #expect(pressure.factors.map(\.what) == ["temperature"])
        #expect(pressure.factors[0].level == .shutdown && pressure.factors[0].text.contains("99 °C"))
        #expect((5_000_000_000...7_500_000_000).contains(pressure.factors[0].at_ns))
        #expect(pressure.missing == [MissingSource(.power, "this computer is a script")])
        #expect(pressure.watch_cpu_ns == nil)
        try recording.checkSchema()
        // At shutdown nothing is stopped: that is the governor's.
        #expect(recording.manifest.duration_ns == 20_000_000_000)
        #expect((19...22).contains(host.lookCount))
    }

    @Test("a calm computer makes no event, and its peak is nominal")
    func calm() async throws {
        let recording = try await Recording(Self.profile, seconds: 3, host: ScriptedHost([(0, HostState())]))
        #expect(!recording.events.contains { $0.contains("\"event\":\"pressure\"") })
        let pressure = try #require(recording.manifest.cost?.pressure)
        #expect(pressure.peak == .nominal && pressure.factors.isEmpty && pressure.missing.isEmpty)
    }

    @Test("the same script gives the same recording, to the event")
    func repeatable() async throws {
        let script = [(0, Self.zone(76)), (1, Self.zone(81))] as [(Int64, HostState)]
        let first = try await Recording(Self.profile, seconds: 4, host: ScriptedHost(script))
        let second = try await Recording(Self.profile, seconds: 4, host: ScriptedHost(script))
        #expect(first.events.dropFirst() == second.events.dropFirst())
        #expect(first.manifest.cost == second.manifest.cost)
    }

    /// A computer that does not answer.
    private final class MuteHost: HostReading {
        private let isReleased = Monitor(false)

        func read(folder: String, at time: ClockTime) -> HostState {
            isReleased.wait { $0 ? true : nil }
            return HostState()
        }

        func release() { isReleased.broadcast { $0 = true } }
    }

    @Test("a computer that does not answer holds up nothing, and of its pressure nothing is claimed")
    func mute() async throws {
        let host = MuteHost()
        defer { host.release() }
        let recording = try await Recording(Self.profile, seconds: 0.5, host: host, clock: MonotonicClock())
        #expect(recording.manifest.outcome == .finished)
        #expect(recording.manifest.cost?.cpu_ns != nil)
        #expect(recording.manifest.cost?.pressure == nil)
    }

    @Test("in simulated time nobody asks the real computer")
    func simulated() async throws {
        let recording = try await Recording(Self.profile, seconds: 1)
        #expect(recording.manifest.cost == nil)
    }
}
