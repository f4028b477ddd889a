import Foundation
import Media
import MulticamKit
import Session
import Testing
import VirtualDevices

@Suite("cameras that are taken in while they are governed")
struct GovernedAdditionTests {
    @Test(
        "one that was taken in is the first to give something up, and its metadata are written"
    )
    func first() async throws { try await OwnThread.run(Self.first) }

    private static func first() async throws {
        // The first look is that before the recording; hot when the guest is long there.
        let host = ScriptedHost([(0, ScriptedHost.heat(50)), (4, ScriptedHost.heat(96))])
        let profile = """
            cameras:
              desk: { device: "virtual:clap", size: 640x360, rate: 30 }
            tracks: { cameras: encode, video: { preset: superfast }, metadata: ndjson }
            """
        var setup: SessionSetup?
        let recording = try await Recording(
            profile, seconds: 10, host: host, clock: MonotonicClock(),
            changing: { setup = $0 },
            steer: { session in
                guard let setup else {
                    Issue.record("there is no setup")
                    return
                }
                Self.addGuest(to: session, of: setup)
            })
        try recording.checkSchema()
        let steps = recording.manifest.governor.map(\.step)
        #expect(steps.first == "guest preset superfast → ultrafast")
        #expect(steps.dropFirst().first == "desk preset superfast → ultrafast")
        let counts = try #require(try recording.track("guest").frames)
        #expect(counts.lost.keys.allSatisfy { $0 == "governor" }, "\(counts)")
        #expect(
            counts.written == counts.captured - counts.skipped + counts.repeated + counts.slate, "\(counts)")

        let device = try #require(recording.manifest.devices.first { $0.role == "guest" })
        let name = try #require(device.metadata)
        let lines = try String(contentsOfFile: recording.path(name), encoding: .utf8).split(separator: "\n")
        let begin = try recording.track("guest").first_ns
        let numbers = try lines.map { line -> (sequence: Int, at: Int64) in
            let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
            return (try #require(line.sequence), line.captured_ns)
        }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 })
        #expect(numbers.contains { $0.at <= begin } && numbers.contains { $0.at > begin + 5_000_000_000 })
    }

    private struct Line: Decodable {
        let captured_ns: Int64
        let sequence: Int?
    }

    /// As soon as something is recorded.
    private static func addGuest(to session: MulticamSession, of setup: SessionSetup) {
        _ = MediaThread(name: "guest") {
            let clock = MonotonicClock()
            let limit = clock.now + .seconds(20)
            var stills = SessionStills(setup.plan, cameras: setup.cameras, clock: clock)
            while true {
                do throws(SetupError) {
                    try setup.addCamera(
                        "virtual:clap?seed=3", as: "guest", to: session, stills: &stills)
                    return
                } catch {
                    guard clock.now < limit, "\(error)".contains("nothing is being recorded") else {
                        Issue.record("\(error)")
                        return
                    }
                }
                clock.sleep(until: clock.now + .milliseconds(50), unless: Cancellation())
            }
        }
    }
}
