import Control
import Foundation
import Media
import MulticamKit
import Plan
import Setup
import Testing

@Suite("a clock that is to follow a group's time from a start on")
struct FailedStartTests {
    @Test("follows none after a start that failed, so that what is recorded next is not of the group")
    func failure() async throws { try await OwnThread.run(Self.failure) }

    private static func failure() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "start-\(UUID().uuidString).yaml")
        try "microphones: { host: { device: \"virtual:tone\" } }".write(
            to: file, atomically: true, encoding: .utf8)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let plan = try SessionSetup(SetupRequest(profile: file.path)).plan
        let steering = SessionSteering(isStandby: true)
        let replies = ConditionLock<[ControlReply]>([])
        let person = MediaThread(name: "person") {
            let now = MonotonicClock().now
            steering.perform(
                .start(at: now, utc: 1_790_000_000_000_000_000), at: now, paused: plan
            ) { reply in replies.withLock { $0.append(reply) } }
        }
        guard case .start = await steering.nextStep() else {
            Issue.record("no start was asked for")
            return
        }
        #expect(steering.clock.summary != nil)
        steering.tellBeginning(folder: nil)
        person.join()
        #expect(replies.withLock { $0.map(\.ok) } == [false])
        #expect(steering.clock.summary == nil && steering.clock.utc(of: steering.clock.now) == nil)
    }
}
