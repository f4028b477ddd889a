internal import FileSystem
internal import Glibc
internal import Media

/// TCP sockets for pairing.
enum PairingSocket {
    /// Listens on a port of all addresses of this computer.
    ///
    /// - Throws: `GroupError` when another program has the port.
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
                "port \(port) cannot be listened on: \(String(cString: strerror(errno))). Does `multicam group serve` run already?"
            )
        }
        return descriptor
    }

    /// Accepts a connection. Blocks until there is one.
    ///
    /// - Returns: The socket, which the caller owns, and the address of the peer; `nil` when there is none.
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

    /// Connects to a port. Blocks for at most some seconds.
    ///
    /// - Returns: The socket, which the caller owns.
    /// - Throws: `GroupError` when nobody is there.
    static func connect(to address: String, port: Int) throws(GroupError) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let place = GroupAddress.text(address, port)
        guard getaddrinfo(address, String(port), &hints, &first) == 0 else {
            throw GroupError("\(place.printable()): no computer of this name is known.")
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
            "\(place.printable()) does not answer: run `multicam group serve` there, and look at the network and its firewall."
        )
    }
}
