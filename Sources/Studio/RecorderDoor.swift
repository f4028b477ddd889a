internal import CLinux
package import Control
package import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media

/// Connects the web process to the recorder: the supervisor makes the connection and hands its descriptor over, so that the web process
/// can do without sockets of its own. It connects to no other process but the calibration that has the recorder's devices for a while.
/// Safe to use from any thread.
package final class RecorderDoor: Sendable {
    /// What to connect to; the raw value is the first byte of a request.
    package enum Socket: UInt8, Sendable {
        case control = 0
        case media = 1
    }

    /// The web process's end of the door, for `RecorderConnector`.
    package let outside: OwnedDescriptor
    private let inside: OwnedDescriptor
    private let folder: ControlFolder
    private let recorder = ConditionLock<Int32?>(nil)

    /// Bytes of a request: the socket, and the process identifier, little endian.
    static let requestLength = 5
    /// The longest wait for a recorder that is too busy to take a connection.
    private static let patience = Nanoseconds.seconds(2)

    /// Opens a door, through which nobody can be reached yet.
    ///
    /// - Parameter folder: The folder with the sockets of this user's sessions.
    /// - Throws: `StudioError` when the system has no descriptor left.
    package init(
        in folder: ControlFolder = ControlFolder(environment: ProcessInfo.processInfo.environment)
    ) throws(StudioError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw StudioError("the web process cannot be started: \(String(cString: strerror(errno))).")
        }
        inside = OwnedDescriptor(owning: ends[0])
        outside = OwnedDescriptor(owning: ends[1])
        self.folder = folder
    }

    /// The recorder that can be reached from now on; `nil` for none.
    package func lead(to process: Int32?) { recorder.withLock { $0 = process } }

    /// Serves on a thread of its own until all copies of the other end are closed, or `close` is called.
    package func open() {
        _ = MediaThread(name: "door") { [self] in
            var request = [UInt8](repeating: 0, count: Self.requestLength)
            while true {
                var number: Int32 = -1
                let count = linux_receive_beside(inside.number, &request, UInt(request.count), &number)
                if number >= 0 { Glibc.close(number) }
                guard count > 0 else { return }
                let socket = count == request.count ? connect(request) : nil
                var answer: UInt8 = socket == nil ? 0 : 1
                guard linux_send_beside(inside.number, &answer, 1, socket?.descriptor ?? -1) > 0 else {
                    return
                }
            }
        }
    }

    /// Ends the door.
    package func close() { shutdown(inside.number, Int32(SHUT_RDWR)) }

    private func connect(_ request: [UInt8]) -> LocalSocket? {
        let process = Int32(
            bitPattern: request[1...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        guard let kind = Socket(rawValue: request[0]), recorder.withLock({ $0 }) == process else {
            return nil
        }
        let path =
            switch kind {
            case .control: folder.socketPath(of: process)
            case .media: folder.mediaPath(of: process)
            }
        do throws(ControlError) {
            let socket = try LocalSocket()
            socket.setPatience(Self.patience)
            guard try socket.connects(to: path) else { return nil }
            socket.setPatience(.zero)
            return socket
        } catch {
            // Whoever asks is told that nobody is there, and asks again.
            return nil
        }
    }
}
