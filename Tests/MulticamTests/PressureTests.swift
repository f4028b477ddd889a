import Foundation
import Media
import Monitoring
import SessionFolder
import Testing

@Suite("system pressure while recording")
struct PressureTests {
    private static let profile = """
        cameras:
          a: { device: "virtual:clap", size: 320x180, rate: 30 }
        budget: { governor: false }
        """

    @Test("levels become events once each, and the manifest says the peak, its causes and what is missing")
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
        // Without a governor nothing is stopped at shutdown.
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
        let script = [(0, ScriptedHost.heat(76)), (1, ScriptedHost.heat(81))] as [(Int64, HostState)]
        let first = try await Recording(Self.profile, seconds: 4, host: ScriptedHost(script))
        let second = try await Recording(Self.profile, seconds: 4, host: ScriptedHost(script))
        #expect(first.events.dropFirst() == second.events.dropFirst())
        #expect(first.manifest.cost == second.manifest.cost)
    }

    /// A computer that does not answer.
    private final class MuteHost: HostReading {
        private let isReleased = ConditionLock(false)

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
