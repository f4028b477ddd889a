import Foundation
import MulticamCapture
import MulticamMedia
import Testing

@testable import MulticamSetup

// With hundreds of parallel tests, a test may wait minutes for its turn.
@Suite("A live list of devices", .timeLimit(.minutes(240)))
struct DiscoverySessionTests {
    private func session(_ machine: NodeMachine) throws -> DiscoverySession {
        try DiscoverySession(listing: machine.catalog)
    }

    @Test("connected devices come first, then arrivals and departures; the session's end ends the stream")
    func changes() async throws {
        let machine = try NodeMachine()
        try machine.plug(0, name: "Desk")
        let session = try session(machine)
        #expect(session.devices.map(\.name) == ["Desk"])
        #expect(session.problem?.device == "PulseAudio")

        var changes = session.changes().makeAsyncIterator()
        guard case .present(let desk)? = await changes.next() else {
            Issue.record("the camera that is there is not told")
            return
        }
        #expect(desk.name == "Desk")
        #expect(await changes.next() == session.problem.map { .problem($0) })
        try machine.plug(3, name: "Face")
        let arrival = await changes.next()
        #expect(arrival == session.devices.last.map { .connected($0) })
        #expect(arrival?.device?.name == "Face")
        try machine.unplug(0)
        #expect(await changes.next() == .disconnected(desk))
        #expect(session.devices.map(\.name) == ["Face"])

        session.stop()
        #expect(await changes.next() == nil)
        var late = session.changes().makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test("each listener starts with the connected devices, and one that stops doesn't affect the others")
    func listeners() async throws {
        let machine = try NodeMachine()
        try machine.plug(0, name: "Desk")
        let session = try session(machine)
        do {
            var first = session.changes().makeAsyncIterator()
            #expect(await first.next()?.device?.name == "Desk")
        }
        var second = session.changes().makeAsyncIterator()
        #expect(await second.next()?.device?.name == "Desk")
        _ = await second.next()
        try machine.unplug(0)
        #expect(await second.next()?.device?.name == "Desk")
        #expect(session.devices.isEmpty)
    }
}

extension DiscoverySession {
    /// Lists the cameras of a catalog, without a sound server and without notes. Blocks until the list is complete.
    convenience init(listing catalog: CameraCatalog) throws(DeviceError) {
        try self.init(
            DeviceRoster.Filter(), catalog: catalog, server: "unix:/nonexistent/socket",
            memory: { DeviceStore() })
        waitUntilComplete()
    }
}
