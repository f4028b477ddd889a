import Foundation
import Glibc
import MulticamMedia
import MulticamSystem
import Testing

@testable import MulticamControl
@testable import MulticamStudio

@Suite("Broker of the web process's connections to the recorder")
struct RecorderConnectionBrokerTests {
    @Test("connects only to the sockets of the supervisor's recorder")
    func leads() throws {
        let runtime = NSTemporaryDirectory() + "door-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: true)
        defer { unlink(runtime) }
        let folder = ControlFolder(environment: ["XDG_RUNTIME_DIR": runtime])
        try folder.make()
        let listeners = try [folder.socketPath(of: 42), folder.mediaPath(of: 42), folder.socketPath(of: 43)]
            .map {
                (path) throws(ControlError) in
                let socket = try LocalSocket()
                try socket.listen(at: path)
                return socket
            }
        let door = try RecorderConnectionBroker(in: folder)
        door.start()
        let connector = RecorderConnector(OwnedDescriptor(owning: dup(door.clientEnd.number)))
        func reaches(_ kind: RecorderConnectionBroker.Socket, _ process: Int32) -> Bool {
            do throws(ControlError) {
                let socket = try connector.connect(kind, of: process)
                return socket.peerUser == geteuid() && fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK == 0
            } catch {
                return false
            }
        }
        // No recorder is set yet.
        #expect(!reaches(.control, 42))
        door.setRecorder(42)
        #expect(reaches(.control, 42) && reaches(.media, 42))
        #expect(!reaches(.control, 43) && !reaches(.control, -1))
        door.setRecorder(43)
        #expect(!reaches(.control, 42) && reaches(.control, 43))
        // This socket has no listener.
        #expect(!reaches(.media, 43))
        door.setRecorder(nil)
        #expect(!reaches(.control, 43))
        door.close()
        #expect(!reaches(.control, 43))
        withExtendedLifetime(listeners) {}
        try FileManager.default.removeItem(atPath: runtime)
    }

    @Test(
        "answers an invalid request as if the recorder were missing",
        arguments: [[], [9], [0, 1, 2], Array(repeating: 0, count: 400)])
    func rubbish(bytes: [UInt8]) throws {
        let door = try RecorderConnectionBroker(
            in: ControlFolder(environment: ["XDG_RUNTIME_DIR": "/nonexistent"]))
        door.setRecorder(0)
        door.start()
        let connector = RecorderConnector(OwnedDescriptor(owning: dup(door.clientEnd.number)))
        if !bytes.isEmpty {
            #expect(send(door.clientEnd.number, bytes, bytes.count, 0) == bytes.count)
            var answer: UInt8 = 7
            #expect(recv(door.clientEnd.number, &answer, 1, 0) == 1)
            #expect(answer == 0)
        }
        #expect(throws: ControlError.self) { _ = try connector.connect(.media, of: 0) }
        door.close()
    }
}
