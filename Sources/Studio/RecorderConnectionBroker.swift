internal import CMulticamLinux
internal import FoundationEssentials
internal import Glibc
package import MulticamControl
internal import MulticamMedia
package import MulticamSystem

/// Connects the web process to the recorder. The supervisor opens the connection and passes its descriptor, so that the
/// web process doesn't need permission to create sockets. The broker connects only to the recorder, or to the
/// calibration that temporarily uses the recorder's devices. Safe to use from any thread.
package final class RecorderConnectionBroker: Sendable {
    /// The socket to connect to. The raw value is the first byte of a request.
    package enum Socket: UInt8, Sendable {
        case control = 0
        case media = 1
    }

    /// The web process's end of the connection, for `RecorderConnector`.
    package let clientEnd: OwnedDescriptor
    private let serverEnd: OwnedDescriptor
    private let folder: ControlFolder
    private let recorder = ConditionLock<Int32?>(nil)

    /// Length of a request in bytes: the socket, and the process ID in little-endian order.
    static let requestLength = 5
    /// Maximum wait for a recorder that is too busy to accept a connection.
    private static let connectTimeout = Nanoseconds.seconds(2)

    /// Creates both ends of the connection. Initially, no recorder can be reached.
    ///
    /// - Parameter folder: Folder with the sockets of this user's sessions.
    /// - Throws: `StudioError` if the system has run out of file descriptors.
    package init(
        in folder: ControlFolder = ControlFolder(environment: ProcessInfo.processInfo.environment)
    ) throws(StudioError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw StudioError("Can't start the web process: \(MachineLimit.explanation(errno: errno))")
        }
        serverEnd = OwnedDescriptor(owning: ends[0])
        clientEnd = OwnedDescriptor(owning: ends[1])
        self.folder = folder
    }

    /// Sets the recorder that can be reached from now on. `nil` means that no recorder can be reached.
    package func setRecorder(_ process: Int32?) { recorder.withLock { $0 = process } }

    /// Serves requests on a separate thread until all copies of the other end are closed or `close` is
    /// called.
    package func start() {
        MediaThread.startWhenPossible(name: "door") { [self] in
            var request = [UInt8](repeating: 0, count: Self.requestLength)
            while true {
                var number: Int32 = -1
                let count = linux_receive_beside(serverEnd.number, &request, UInt(request.count), &number)
                if number >= 0 { Glibc.close(number) }
                guard count > 0 else { return }
                let socket = count == request.count ? connect(request) : nil
                var answer: UInt8 = socket == nil ? 0 : 1
                guard linux_send_beside(serverEnd.number, &answer, 1, socket?.descriptor ?? -1) > 0 else {
                    return
                }
            }
        }
    }

    /// Stops serving requests.
    package func close() { shutdown(serverEnd.number, Int32(SHUT_RDWR)) }

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
            socket.setTimeout(Self.connectTimeout)
            guard try socket.tryConnect(to: path) else { return nil }
            socket.setTimeout(.zero)
            return socket
        } catch {
            // The caller treats this result like an unreachable recorder, and tries again.
            return nil
        }
    }
}

/// The web process's end of the `RecorderConnectionBroker`. Safe to use from any thread.
package final class RecorderConnector: Sendable {
    /// Descriptor number that the supervisor assigns in the child process.
    package static let descriptor: Int32 = 3

    private let brokerEnd: OwnedDescriptor
    private let lock = ConditionLock(())

    /// Takes ownership of the web process's end of the connection.
    package init(_ door: consuming OwnedDescriptor) { self.brokerEnd = door }

    /// Connects to a socket of the recorder. Blocks for up to a few seconds while the recorder is too busy to accept a
    /// connection.
    ///
    /// - Parameters:
    ///   - kind: The socket to connect to.
    ///   - process: The recorder's process ID.
    /// - Returns: The connected socket.
    /// - Throws: `ControlError.notRunning` if that process isn't the supervisor's recorder or isn't running.
    package func connect(_ kind: RecorderConnectionBroker.Socket, of process: Int32) throws(ControlError)
        -> LocalSocket
    {
        let number = lock.withLock { _ -> Int32 in
            var request = [kind.rawValue]
            withUnsafeBytes(of: process.littleEndian) { request.append(contentsOf: $0) }
            guard linux_send_beside(brokerEnd.number, &request, UInt(request.count), -1) == request.count
            else {
                return -1
            }
            var (answer, number): (UInt8, Int32) = (0, -1)
            _ = linux_receive_beside(brokerEnd.number, &answer, 1, &number)
            return number
        }
        guard number >= 0 else { throw .notRunning("There is no recorder with process ID \(process).") }
        return LocalSocket(owning: number)
    }
}
