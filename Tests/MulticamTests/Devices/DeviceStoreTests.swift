import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamSetup

@Suite("Stored information about devices")
struct DeviceStoreTests {
    // MARK: What the user said

    @Test("the user's settings override the system's and follow a camera that moves")
    func remarks() {
        var memory = DeviceStore()
        let desk = webcam(port: 1, serial: "A")
        let other = webcam(port: 2, serial: "B")
        memory.add(.init(identity: desk.identity, position: .back, mounting: .quarter), among: [desk, other])
        let moved = webcam(port: 5, serial: "A")
        let cameras = memory.applied(to: [other, moved])
        #expect(cameras.map(\.position) == [.unspecified, .back])
        #expect(cameras.map(\.mounting) == [.none, .quarter])
        #expect(cameras.map(\.isTypeKnown) == [false, false])

        memory.add(.init(identity: moved.identity, type: .builtIn), among: [other, moved])
        #expect(memory.remarks.count == 1)
        let told = memory.applied(to: [other, moved])[1]
        #expect(told.deviceType == .builtIn && told.isTypeKnown)
        #expect(told.position == .back)

        memory.add(.init(identity: moved.identity, position: .front), among: [moved])
        #expect(memory.applied(to: [moved])[0].position == .front)
        let wasKnown = memory.removeNotes(on: moved.identity, among: [other, moved])
        #expect(wasKnown)
        #expect(memory.applied(to: [other, moved]) == [other, moved])
        let isKnown = memory.removeNotes(on: moved.identity, among: [other, moved])
        #expect(!isKnown)
    }

    @Test("a camera's settings aren't applied to an identical camera")
    func twins() {
        var memory = DeviceStore()
        let (left, right) = (webcam(port: 1), webcam(port: 2))
        memory.add(.init(identity: left.identity, position: .front), among: [left, right])
        #expect(memory.applied(to: [left, right]).map(\.position) == [.front, .unspecified])
        // Both cameras are at new ports, so they can't be distinguished.
        let elsewhere = [webcam(port: 3), webcam(port: 4)]
        #expect(memory.applied(to: elsewhere) == elsewhere)
    }

    // MARK: The file

    /// A file in a temporary folder that is removed at the end of the test.
    private final class StoreFixture {
        let folder: String
        let file: StateFile<DeviceStore>

        init() {
            folder = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"
            file = StateFile<DeviceStore>(path: folder + "/state/devices.json")
        }

        deinit {
            do { try FileManager.default.removeItem(atPath: folder) } catch {
                Issue.record(error)
            }
        }

        func write(_ text: String) throws {
            try FileManager.default.createDirectory(
                atPath: folder + "/state", withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
        }
    }

    @Test(
        "its path follows the XDG Base Directory Specification",
        arguments: [
            (["XDG_STATE_HOME": "/state", "HOME": "/home/x"], "/state/multicam/devices.json"),
            (["XDG_STATE_HOME": "state", "HOME": "/home/x"], "/home/x/.local/state/multicam/devices.json"),
            (["HOME": "/home/x"], "/home/x/.local/state/multicam/devices.json"),
            (["HOME": ""], nil), ([:], nil),
        ] as [([String: String], String?)])
    func place(environment: [String: String], path: String?) {
        #expect(StateFile<DeviceStore>(environment: environment)?.path == path)
    }

    @Test("stored data is read back, and a missing file counts as empty without a warning")
    func roundTrip() throws {
        let place = StoreFixture()
        #expect(place.file.read().content == DeviceStore())
        let camera = webcam(port: 1, serial: "A\u{1B}\"")
        let warning = try place.file.update { memory in
            memory.cameras["desk"] = camera.identity
            memory.microphones["host"] = DeviceIdentity(name: "Mic")
            memory.add(.init(identity: camera.identity, mounting: .half, type: .external), among: [camera])
        }
        #expect(warning == nil)
        let (memory, problem) = place.file.read()
        #expect(problem == nil)
        #expect(memory.cameras == ["desk": camera.identity])
        #expect(memory.microphones["host"]?.name == "Mic")
        #expect(memory.applied(to: [camera])[0].mounting == .half)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.folder + "/state").sorted() == [
                "devices.json", "devices.json.lock",
            ])
    }

    @Test(
        "an invalid file is reported once, renamed, and replaced",
        arguments: [
            "", "{", "[]", "{\"schema\": 1}",
            "{\"schema\": 99, \"cameras\": {}, \"microphones\": {}, \"remarks\": []}",
            "\u{0}\u{0}\u{0}", "{\"schema\":1,\"cameras\":{\"desk\":7},\"microphones\":{},\"remarks\":[]}",
        ])
    func broken(text: String) throws {
        let place = StoreFixture()
        try place.write(text)
        let (memory, warning) = place.file.read()
        #expect(memory == DeviceStore())
        #expect(warning?.contains("renamed to devices.json.broken") == true)
        #expect(warning?.contains(place.file.path) == true)
        #expect(place.file.read().warning == nil)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: place.file.path + ".broken")) == Data(text.utf8))

        try place.write(text)
        let second = try place.file.update { $0.cameras["desk"] = webcam(port: 1).identity }
        #expect(second?.contains("renamed to") == true)
        #expect(place.file.read().content.cameras.count == 1)
    }

    @Test("a named pipe counts as empty, without waiting for it")
    func pipe() throws {
        let place = StoreFixture()
        try place.write("")
        unlink(place.file.path)
        #expect(mkfifo(place.file.path, 0o600) == 0)
        #expect(place.file.read().warning?.contains("not a regular file") == true)
    }

    @Test("if saving fails, the error states the path and the remedy")
    func readOnly() {
        // No user can create folders in /proc.
        let file = StateFile<DeviceStore>(path: "/proc/multicam/devices.json")
        #expect(file.read().content == DeviceStore())
        let error = #expect(throws: StateFileError.self) { try file.update { $0.cameras = [:] } }
        #expect(error?.description.contains("/proc/multicam") == true)
        #expect(error?.description.contains("XDG_STATE_HOME") == true)
    }

    @Test("concurrent updates preserve each other's changes")
    func concurrent() throws {
        let place = StoreFixture()
        let (writers, changes) = (4, 8)
        // The timeout is long enough for slow disks on a busy machine.
        let file = StateFile<DeviceStore>(path: place.file.path, lockTimeout: .seconds(3600))
        let failures = ConditionLock<[any Error]>([])
        let threads = (0..<writers).map { writer in
            MediaThread.startWhenPossible(name: "writer \(writer)") {
                for change in 0..<changes {
                    do {
                        _ = try file.update { memory in
                            memory.cameras["role\(writer)-\(change)"] = webcam(port: writer).identity
                        }
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0.count } == 0)
        #expect(file.read().content.cameras.count == writers * changes)
    }

    @Test("waiting for a lock that another process holds times out")
    func heldLock() throws {
        let place = StoreFixture()
        try place.write("")
        let held = open(place.file.path + ".lock", O_RDWR | O_CREAT, 0o600)
        defer { close(held) }
        #expect(flock(held, LOCK_EX) == 0)
        let file = StateFile<DeviceStore>(path: place.file.path, lockTimeout: .milliseconds(20))
        let error = #expect(throws: StateFileError.self) { try file.update { _ in } }
        #expect(error?.description.contains("another program has locked the file") == true)
    }
}
