import Capture
import Foundation
import Media
import Testing

@testable import MulticamKit

// Beside hundreds of others a test may wait minutes for its turn.
@Suite("A live list of devices", .timeLimit(.minutes(20)))
struct DiscoverySessionTests {
    /// A sysfs and a /dev of a test's own, with cameras on no bus.
    private final class Machine: Sendable {
        let path = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"

        init() throws {
            for folder in ["class/video4linux", "devices", "dev"] {
                try FileManager.default.createDirectory(
                    atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
            }
        }

        deinit {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                Issue.record(error)
            }
        }

        var catalog: CameraCatalog { CameraCatalog(sysfs: path, nodes: path + "/dev") }

        /// As the kernel does it: what can be read first, its node last.
        func plug(_ number: Int, name: String) throws {
            let folder = "\(path)/devices/\(name)-\(number)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let files = ["name": name, "index": "0", "uevent": "DEVNAME=video\(number)"]
            for (file, text) in files {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(file)"))
            }
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/class/video4linux/video\(number)", withDestinationPath: folder)
            try Data().write(to: URL(fileURLWithPath: "\(path)/dev/video\(number)"))
        }

        func unplug(_ number: Int) throws {
            try FileManager.default.removeItem(atPath: "\(path)/class/video4linux/video\(number)")
            try FileManager.default.removeItem(atPath: "\(path)/dev/video\(number)")
        }
    }

    private func session(_ machine: Machine) throws -> DiscoverySession {
        try DiscoverySession(
            DeviceRoster.Filter(), catalog: machine.catalog, server: "unix:/nonexistent/socket",
            memory: { DeviceMemory() })
    }

    @Test("what is there comes first, then what arrives and departs; the end of the session ends the stream")
    func changes() async throws {
        let machine = try Machine()
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
        #expect(arrival == session.devices.last.map { .arrived($0) })
        #expect(arrival?.device?.name == "Face")
        try machine.unplug(0)
        #expect(await changes.next() == .departed(desk))
        #expect(session.devices.map(\.name) == ["Face"])

        session.stop()
        #expect(await changes.next() == nil)
        var late = session.changes().makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test("several may listen, each from its own beginning; who stops listening disturbs nobody")
    func listeners() async throws {
        let machine = try Machine()
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
