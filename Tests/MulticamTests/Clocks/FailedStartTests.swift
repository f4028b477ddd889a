import Foundation
import MulticamControl
import MulticamKit
import MulticamMedia
import MulticamPlan
import MulticamSetup
import Testing

@Suite("a session clock after a failed group start")
struct FailedStartTests {
    @Test("after a failed start, the clock doesn't follow the group's time in the next recording")
    func failure() async throws { try await SingleThreadExecutor.run(Self.failure) }

    private static func failure() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "start-\(UUID().uuidString).yaml")
        try "microphones: { host: { device: \"virtual:tone\" } }".write(
            to: file, atomically: true, encoding: .utf8)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let plan = try SessionSetup(SessionConfiguration(profile: file.path)).plan
        let controller = SessionController(isStandby: true)
        let replies = ConditionLock<[ControlReply]>([])
        let person = MediaThread.startWhenPossible(name: "person") {
            let now = MonotonicClock().now
            let words = ["start", "at=\(now.nanoseconds)", "utc=1790000000000000000"]
            do throws(ControlError) {
                let work = try controller.prepareCommand(
                    for: CommandRequest(arguments: words), pausedPlan: plan)
                work.perform(now) { reply in replies.withLock { $0.append(reply) } }
            } catch {
                Issue.record("\(error)")
            }
        }
        guard case .start = await controller.nextStep() else {
            Issue.record("no start was asked for")
            return
        }
        #expect(controller.clock.summary != nil)
        controller.notifyRecordingStarted(folder: nil)
        person.join()
        #expect(replies.withLock { $0.map(\.ok) } == [false])
        #expect(controller.clock.summary == nil && controller.clock.utc(of: controller.clock.now) == nil)
    }
}
