internal import CMulticamLinux
internal import FoundationEssentials
internal import Glibc
package import MulticamMedia

/// A Unix socket that carries one line of JSON in each direction. The socket is closed when its last
/// reference is released.
package final class LocalSocket: Sendable {
    /// The result of accepting a connection.
    package enum AcceptResult {
        /// A connection was accepted. The new socket is nonblocking and is closed on exec.
        case connected(LocalSocket)
        case noConnection
        /// The operating system doesn't have the resources for another connection, or rejects the connection
        /// for another reason. The client keeps waiting.
        case refused(errno: Int32)
    }

    /// The result of reading from a nonblocking socket.
    enum ReceiveResult {
        case bytes(Data)
        case wouldBlock
        case endOfStream
    }

    package let descriptor: Int32

    /// Maximum length of a request in bytes. A longer line is rejected.
    static let longestRequest = 1 << 16
    /// Maximum length of a reply in bytes. A longer line is rejected.
    static let longestReply = 1 << 24
    /// Maximum number of clients waiting to be accepted.
    private static let backlog: Int32 = 64

    /// Creates an unconnected stream socket.
    ///
    /// - Throws: `ControlError.system` if no file descriptor is available.
    package init() throws(ControlError) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Self.systemError("a socket cannot be created") }
    }

    /// Takes ownership of a connected socket.
    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Starts listening at a path. Afterwards, `accept` never blocks.
    ///
    /// - Throws: `ControlError.system` if the path is too long or a system call fails.
    package func listen(at path: String) throws(ControlError) {
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0,
            try Self.withAddress(path, { bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, Self.backlog) == 0
        else { throw Self.systemError("the socket \(path.printable()) cannot be created") }
    }

    /// Connects to the socket at a path.
    ///
    /// - Returns: Whether a process is listening at this path, even if the process can't currently accept
    ///   another connection.
    /// - Throws: `ControlError.system` if the path is too long.
    package func tryConnect(to path: String) throws(ControlError) -> Bool {
        try Self.withAddress(path) { connect(descriptor, $0, $1) } == 0 || errno == EAGAIN
    }

    /// Accepts the next connection without blocking.
    package func accept() -> AcceptResult {
        while true {
            let accepted = linux_accept(descriptor)
            if accepted >= 0 { return .connected(LocalSocket(owning: accepted)) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return .noConnection
            default: return .refused(errno: errno)
            }
        }
    }

    /// Sets the timeout for connecting, and for sending or receiving each part of a line. `.zero` disables the timeout.
    package func setTimeout(_ patience: Nanoseconds) {
        var time = timeval(
            tv_sec: Int(patience.count / 1_000_000_000), tv_usec: Int(patience.count % 1_000_000_000 / 1000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// The user ID of the peer, as reported by the kernel (unix(7), SO_PEERCRED); `nil` if the kernel doesn't
    /// report the ID.
    package var peerUser: UInt32? {
        // The tuple has the layout of `struct ucred` (three 32-bit numbers) in the kernel's
        // include/linux/socket.h, which isn't visible to Swift's importer.
        var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return nil }
        return peer.user
    }

    /// Reads the available data from a nonblocking socket, at most 4096 bytes.
    func receive() -> ReceiveResult {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return .bytes(Data(buffer[..<count])) }
            guard count < 0 else { return .endOfStream }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .endOfStream
            }
        }
    }

    /// Sends as many bytes as the socket accepts without blocking.
    ///
    /// - Returns: Number of bytes sent; `nil` if the peer has disconnected.
    func send(_ bytes: Data) -> Int? {
        while true {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: return nil
            }
        }
    }

    /// Waits for a line from the peer.
    ///
    /// - Parameter limit: Maximum length of the line in bytes.
    /// - Returns: The bytes before the first line feed; `nil` if no line arrives in time or the line is too
    ///   long.
    func readLine(limit: Int = longestReply) -> Data? {
        var line = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while line.count < limit {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            let piece = buffer[..<count]
            if let end = piece.firstIndex(of: UInt8(ascii: "\n")) { return line + piece[..<end] }
            line.append(contentsOf: piece)
        }
        return nil
    }

    /// Sends a line and waits until the complete line has been passed to the socket.
    ///
    /// - Returns: Whether the complete line including its line feed was sent.
    func write(line: Data) -> Bool {
        var rest = line[...]
        rest.append(UInt8(ascii: "\n"))
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(ControlError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else {
            throw .system(
                "the socket path \(path.printable()) is longer than \(room - 1) bytes. Set XDG_RUNTIME_DIR to a folder with a shorter path."
            )
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func systemError(_ what: String) -> ControlError {
        .system("\(what): \(MachineLimit.explanation(errno: errno))")
    }
}
