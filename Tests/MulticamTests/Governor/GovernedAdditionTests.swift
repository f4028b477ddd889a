import Foundation
import MulticamInputs
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamStills
import Testing

@Suite("cameras added under the governor")
struct GovernedAdditionTests {
    @Test("an added camera is reduced first, and its metadata is written")
    func first() async throws { try await SingleThreadExecutor.run(Self.first) }

    private static func first() async throws {
        let host = CrowdedHost()
        // One camera is late from the start, so the alignment delay allows for a guest camera that a busy
        // machine delays.
        let profile = """
            cameras: { desk: { device: "virtual:clap?latency=1500", size: 640x360, rate: 30 } }
            tracks: { cameras: copy, metadata: ndjson }
            """
        var setup: SessionSetup?
        let recording = try await Recording(
            profile, seconds: 60, host: host, clock: MonotonicClock(),
            changing: { setup = $0 },
            steer: { session in
                guard let setup else {
                    Issue.record("there is no setup")
                    return
                }
                Self.addGuest(to: session, of: setup, crowding: host)
            })
        try recording.checkSchema()
        let steps = recording.manifest.governor.map(\.step)
        #expect(steps.first?.hasPrefix("guest rate 30 →") == true, "\(steps)")
        let counts = try #require(try recording.track("guest").frames)
        #expect(
            counts.written == counts.captured - counts.decimated + counts.duplicated + counts.slate,
            "\(counts)")

        let device = try #require(recording.manifest.devices.first { $0.role == "guest" })
        let name = try #require(device.metadata)
        let begin = try recording.track("guest").first_ns
        let times = try String(contentsOfFile: recording.path(name), encoding: .utf8).split(separator: "\n")
            .map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)).captured_ns }
        #expect(times == times.sorted() && times.contains { $0 <= begin }, "from its beginning")
        #expect(times.contains { $0 > begin + 1_000_000_000 }, "and on")
    }

    private struct Line: Decodable {
        let captured_ns: Int64
    }

    /// A computer with enough free memory until `startMemoryShortage()` is called.
    private final class CrowdedHost: HostReading {
        private let isShort = ConditionLock(false)

        func startMemoryShortage() { isShort.withLock { $0 = true } }

        func read(folder: String, at time: ClockTime) -> HostState {
            ScriptedHost.memory(isShort: isShort.withLock { $0 })
        }
    }

    /// Adds a guest camera once the recording has started. Memory then runs short, and the recording ends
    /// after the first reduction.
    private static func addGuest(
        to session: MulticamSession, of setup: SessionSetup, crowding host: CrowdedHost
    ) {
        MediaThread.startWhenPossible(name: "guest") {
            let clock = MonotonicClock()
            let limit = clock.now + .seconds(600)
            defer { session.stop() }
            while true {
                do throws(SetupError) {
                    try setup.addCamera(.selector("virtual:clap?seed=3"), as: "guest", to: session)
                    break
                } catch {
                    guard clock.now < limit, "\(error)".contains("nothing is being recorded") else {
                        Issue.record("\(error)")
                        return
                    }
                }
                clock.sleep(until: clock.now + .milliseconds(50), unless: Cancellation())
            }
            clock.sleep(until: clock.now + .seconds(2), unless: Cancellation())
            host.startMemoryShortage()
            let patience = clock.now + .seconds(600)
            while session.status.reductions.isEmpty, clock.now < patience {
                clock.sleep(until: clock.now + .milliseconds(50), unless: Cancellation())
            }
        }
    }
}
