import MulticamControl
import MulticamMedia
import Testing

@testable import MulticamGroup

@Suite("Recorder supervision on a node")
struct RecorderSupervisorTests {
    private func refusal(_ body: () throws(GroupError) -> ControlStatus) -> GroupError? {
        do throws(GroupError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("an invalid profile is refused before the working recorder is stopped")
    func typo() throws {
        let recorders = SimulatedRecorderHost()
        let desk = RecorderSupervisor(recorders, profile: "good")
        #expect(try desk.standBy(with: nil).profile == "good")
        let error = try #require(refusal { () throws(GroupError) in try desk.standBy(with: "typo") })
        #expect(error.status == 2 && error.description.contains("typo"))
        #expect(recorders.log == ["start good", "check typo"])
        // The invalid profile isn't saved either.
        #expect(try desk.standBy(with: nil).profile == "good")
        #expect(try RecorderSupervisor(recorders, profile: "own").standBy(with: nil).profile == "good")
    }

    @Test("if the new recorder fails to start, a recorder with the previous profile is started again")
    func busy() throws {
        let recorders = SimulatedRecorderHost()
        let desk = RecorderSupervisor(recorders, profile: "good")
        _ = try desk.standBy(with: nil)
        let error = try #require(refusal { () throws(GroupError) in try desk.standBy(with: "busy") })
        #expect(error.status == 3)
        #expect(error.description.contains("/dev/video0"))
        #expect(error.description.contains("standby with the profile good"))
        #expect(
            recorders.log == ["start good", "check busy", "quit", "end good", "start busy", "start good"])
        #expect(desk.status?.profile == "good")
        #expect(try desk.standBy(with: nil).profile == "good")
    }

    @Test("if the previous profile also fails to start, the node's own profile is used")
    func own() throws {
        let recorders = SimulatedRecorderHost()
        let desk = RecorderSupervisor(recorders, profile: "own")
        _ = try desk.standBy(with: "other")
        recorders.state.withLock { $0.broken = ["other"] }
        _ = refusal { () throws(GroupError) in try desk.standBy(with: "busy") }
        #expect(desk.status?.profile == "own")
    }

    @Test("after a recorder dies, its profile is started again instead of the last failed one")
    func died() throws {
        let recorders = SimulatedRecorderHost()
        let desk = RecorderSupervisor(recorders, profile: "own")
        _ = try desk.standBy(with: "good")
        recorders.state.withLock { $0.running = [:] }
        _ = refusal { () throws(GroupError) in try desk.standBy(with: "busy") }
        recorders.state.withLock { $0.running = [:] }
        #expect(try desk.standBy(with: nil).profile == "good")
    }

    @Test(
        "a requested profile is checked before a recorder starts, because its messages would quote the profile"
    )
    func checkedFirst() {
        let recorders = SimulatedRecorderHost()
        let desk = RecorderSupervisor(recorders, profile: "pip")
        #expect(throws: GroupError.self) { _ = try desk.standBy(with: "typo") }
        #expect(recorders.log == ["check typo"])
    }

    @Test("a recorder that was started a moment ago and isn't visible yet doesn't count as ended")
    func invisible() throws {
        let recorders = SimulatedRecorderHost()
        recorders.state.withLock { $0.hiddenLookups = 3 }
        #expect(try RecorderSupervisor(recorders, profile: "own").standBy(with: nil).profile == "own")
        #expect(recorders.log == ["start own"])
    }

    @Test("a recorder that is recording is never replaced")
    func recording() throws {
        let recorders = SimulatedRecorderHost(running: [7: "good"], recording: [7])
        let desk = RecorderSupervisor(recorders, profile: "own")
        let error = try #require(refusal { () throws(GroupError) in try desk.standBy(with: "other") })
        #expect(error.description.contains("is recording"))
        #expect(recorders.log.isEmpty && recorders.isAlive(7))
    }

    @Test("of several recorders left running, the one that is recording is found")
    func found() throws {
        let recorders = SimulatedRecorderHost(running: [7: "idle", 8: "busy"], recording: [8])
        let desk = RecorderSupervisor(recorders, profile: "own")
        #expect(desk.status?.state == .recording)
        #expect(desk.isAlive)
    }

    @Test("a recorder left over by an earlier process is stopped, so that it releases the devices")
    func left() throws {
        let recorders = SimulatedRecorderHost()
        let desk = RecorderSupervisor(recorders, profile: "own")
        // This recorder starts after the process has searched for recorders.
        recorders.state.withLock { $0.running[7] = "left" }
        #expect(try desk.standBy(with: nil).profile == "own")
        #expect(recorders.log == ["end left", "start own"])
    }
}
