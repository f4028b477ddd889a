internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// TCP sockets for pairing.
enum PairingSocket {
    /// Listens on a port on all addresses of this computer.
    ///
    /// - Throws: `GroupError` if another program uses the port.
    static func listen(on port: Int) throws(GroupError) -> OwnedDescriptor {
        let descriptor = OwnedDescriptor(
            owning: socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var (yes, no): (Int32, Int32) = (1, 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor.number, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        setsockopt(descriptor.number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, size)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(UInt16(clamping: port)).bigEndian
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
        guard bound == 0, Glibc.listen(descriptor.number, 8) == 0 else {
            throw GroupError(
                "cannot listen on port \(port): \(String(cString: strerror(errno))). Check whether `multicam group serve` is already running."
            )
        }
        return descriptor
    }

    /// Accepts a pairing connection. Blocks until a connection arrives.
    ///
    /// - Returns: The socket, which the caller owns, and the peer's address; `nil` if no connection could be accepted.
    static func accept(_ listener: borrowing OwnedDescriptor) -> (socket: Int32, address: String)? {
        var (storage, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
        let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.accept(listener.number, $0, &size)
            }
        }
        guard accepted >= 0 else { return nil }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        _ = withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo($0, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            }
        }
        let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (accepted, address.hasPrefix("::ffff:") ? String(address.dropFirst(7)) : address)
    }

    /// Connects to a port of another computer. Blocks for a few seconds at most.
    ///
    /// - Returns: The socket, which the caller owns.
    /// - Throws: `GroupError` if the connection fails.
    static func connect(to address: String, port: Int) throws(GroupError) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let place = GroupAddress.text(address, port)
        guard getaddrinfo(address, String(port), &hints, &first) == 0 else {
            throw GroupError("\(place.printable()): unknown host name.")
        }
        defer { freeaddrinfo(first) }
        var entry = first
        while let present = entry {
            entry = present.pointee.ai_next
            let descriptor = socket(
                present.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { continue }
            var time = timeval(tv_sec: 5, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
            if Glibc.connect(descriptor, present.pointee.ai_addr, present.pointee.ai_addrlen) == 0 {
                return descriptor
            }
            close(descriptor)
        }
        throw GroupError(
            "\(place.printable()) is not responding. Run `multicam group serve` there, and check the network and the firewall."
        )
    }
}

/// A pairing connection that any thread can shut down.
final class PairingConnection: Sendable {
    /// Address of the peer.
    let address: String
    /// Deadline after which the connection is shut down.
    let deadline: ClockTime
    // Duplicate of the socket's file descriptor. A duplicate is needed because the original descriptor number
    // may refer to another file by the time the connection is shut down.
    private let socket: OwnedDescriptor

    /// Creates a handle that allows other threads to shut down a connected socket. The caller retains
    /// ownership of the socket.
    ///
    /// - Returns: `nil` if this process has run out of file descriptors.
    init?(_ socket: Int32, from address: String, deadline: ClockTime) {
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        self.socket = OwnedDescriptor(owning: own)
        (self.address, self.deadline) = (address, deadline)
    }

    /// Shuts down the connection. Pending read calls then return end of file.
    func disconnect() { shutdown(socket.number, Int32(SHUT_RDWR)) }
}

/// The open pairing connections. Their number is limited: if the limit is reached, a new connection replaces
/// the oldest connection from the address that has the most connections. The limit ensures that idle
/// connections, or many connections from one computer, can't prevent another computer from pairing.
struct PairingConnections: Sendable {
    /// The connections, oldest first.
    private var all: [PairingConnection] = []

    /// Maximum number of concurrent connections.
    private static let maxCount = 8

    /// Adds a connection. If there are then too many connections, another one is closed.
    mutating func admit(_ connection: PairingConnection) {
        all.append(connection)
        guard all.count > Self.maxCount else { return }
        let counts = Dictionary(grouping: all, by: \.address).mapValues(\.count)
        let largest = counts.values.max()
        guard let index = all.firstIndex(where: { counts[$0.address] == largest }) else { return }
        all.remove(at: index).disconnect()
    }

    /// Removes a connection that has ended from the list.
    mutating func remove(_ connection: PairingConnection) { all.removeAll { $0 === connection } }

    /// Closes the connections that have exceeded their deadlines.
    func disconnect(overdueAt now: ClockTime) {
        for connection in all where connection.deadline < now { connection.disconnect() }
    }
}
