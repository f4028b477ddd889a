internal import Foundation
internal import Glibc
internal import Media

/// A descriptor of a Unix socket, closed with its last reference. Lines of JSON go through it, one each way.
final class LocalSocket: Sendable {
    let descriptor: Int32

    /// A line that is longer is nobody's request.
    static let longestLine = 1 << 16

    /// - Throws: When the system has no descriptor left.
    init() throws(ControlError) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure("a socket cannot be made") }
    }

    private init(accepted descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// - Throws: The path is too long, or the system's reason.
    func listen(at path: String) throws(ControlError) {
        guard try Self.withAddress(path, { bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, 8) == 0
        else { throw Self.failure("\(path.printable()) cannot be made") }
    }

    /// - Returns: Whether somebody listens there.
    func connects(to path: String) throws(ControlError) -> Bool {
        try Self.withAddress(path) { connect(descriptor, $0, $1) } == 0
    }

    /// Sleeps until somebody connects.
    ///
    /// - Returns: `nil` once the socket was shut down.
    func accept() -> LocalSocket? {
        while true {
            let accepted = Glibc.accept(descriptor, nil, nil)
            if accepted >= 0 {
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                return LocalSocket(accepted: accepted)
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// Wakes whoever sleeps in `accept`.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// How long the other side may take for a line.
    func setPatience(_ patience: Nanoseconds) {
        var time = timeval(
            tv_sec: Int(patience.count / 1_000_000_000), tv_usec: Int(patience.count % 1_000_000_000 / 1000))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// The user at the other end, as the kernel knows it (unix(7), SO_PEERCRED); `nil` where it does not say.
    var peerUser: uid_t? {
        // `struct ucred` of the kernel's include/linux/socket.h, which Swift's importer does not see: three 32-bit numbers.
        var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return nil }
        return peer.user
    }

    /// - Returns: Bytes up to the first line feed; `nil` when none came in time, or too many.
    func readLine() -> Data? {
        var line = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while line.count < Self.longestLine {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            line.append(contentsOf: buffer[..<count])
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return line[..<end] }
        }
        return nil
    }

    /// - Returns: Whether all of it, and a line feed, was taken.
    func write(line: Data) -> Bool {
        var rest = line[...]
        rest.append(UInt8(ascii: "\n"))
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
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
                "\(path.printable()) is too long for a socket, which may have \(room - 1) bytes: set XDG_RUNTIME_DIR to a shorter folder."
            )
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func failure(_ what: String) -> ControlError {
        .system("\(what): \(String(cString: strerror(errno))).")
    }
}
