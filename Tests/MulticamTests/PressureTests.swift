import Foundation
import MulticamMedia
import MulticamMonitoring
import MulticamSessionFolder
import Testing

@Suite("system pressure during a recording")
struct PressureTests {
    private static let profile = """
        cameras:
          a: { device: "virtual:clap", size: 320x180, rate: 30 }
        budget: { governor: false }
        """

    @Test(
        "each level change is one event, and the manifest contains the peak, its causes, and missing sources")
    func course() async throws {
        let host = ScriptedHost([
            (0, ScriptedHost.heat(50)), (2, ScriptedHost.heat(76)), (4, ScriptedHost.heat(81)),
            (6, ScriptedHost.heat(99)),
            (8, ScriptedHost.heat(50)),
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
        #expect(
            lines[1].contains(
                "system pressure is serious: the computer is hot (thermal_zone0 cpu is at 81 °C"))
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
        // Without a governor, the shutdown level doesn't stop the recording.
        #expect(recording.manifest.duration_ns == 20_000_000_000)
        #expect((19...22).contains(host.readingCount))
    }

    @Test("a calm computer causes no event, and its peak is nominal")
    func calm() async throws {
        let recording = try await Recording(Self.profile, seconds: 3, host: ScriptedHost([(0, HostState())]))
        #expect(!recording.events.contains { $0.contains("\"event\":\"pressure\"") })
        let pressure = try #require(recording.manifest.cost?.pressure)
        #expect(pressure.peak == .nominal && pressure.factors.isEmpty && pressure.missing.isEmpty)
    }

    @Test("the same script gives the same recording, including its events")
    func repeatable() async throws {
        let script = [(0, ScriptedHost.heat(76)), (1, ScriptedHost.heat(81))] as [(Int64, HostState)]
        let first = try await Recording(Self.profile, seconds: 4, host: ScriptedHost(script))
        let second = try await Recording(Self.profile, seconds: 4, host: ScriptedHost(script))
        #expect(first.events.dropFirst() == second.events.dropFirst())
        #expect(first.manifest.cost == second.manifest.cost)
    }

    /// A computer that doesn't respond.
    private final class BlockedHost: HostReading {
        private let isReleased = ConditionLock(false)

        func read(folder: String, at time: ClockTime) -> HostState {
            isReleased.wait { $0 ? true : nil }
            return HostState()
        }

        func release() { isReleased.broadcast { $0 = true } }
    }

    @Test("a computer that does not respond never blocks a recording, which then lacks its pressure")
    func mute() async throws {
        let host = BlockedHost()
        defer { host.release() }
        let recording = try await Recording(Self.profile, seconds: 0.5, host: host, clock: MonotonicClock())
        #expect(recording.manifest.outcome == .finished)
        #expect(recording.manifest.cost?.cpu_ns != nil)
        #expect(recording.manifest.cost?.pressure == nil)
    }

    @Test("in simulated time the real computer's state is not read")
    func simulated() async throws {
        let recording = try await Recording(Self.profile, seconds: 1)
        #expect(recording.manifest.cost == nil)
    }
}
