internal import Glibc
internal import Media

/// A numeric address of a host, with a port.
struct HostAddress {
    enum Transport {
        case stream, datagram
    }

    private let bytes: [UInt8]
    let family: Int32

    /// How long a server may take to answer that somebody listens: enough for a second try of the system's.
    private static let patience = Nanoseconds.milliseconds(1200)

    /// Finds the addresses of a host. Blocks while the name server does not answer.
    ///
    /// - Parameters:
    ///   - name: Name or numeric address; empty for all addresses of this computer.
    ///   - port: The port, 1 to 65535.
    ///   - transport: Whether TCP or UDP is spoken there.
    ///   - isListener: Whether this process listens there.
    /// - Returns: At least one address, the preferred one first.
    /// - Throws: `PublishingError` that names the host.
    static func find(
        _ name: String, _ port: Int, _ transport: Transport, isListener: Bool = false
    ) throws(PublishingError) -> [HostAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32((transport == .stream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
        hints.ai_flags = isListener ? AI_PASSIVE : 0
        if isListener, name.isEmpty { hints.ai_family = AF_INET }
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name.isEmpty ? nil : name, "\(port)", &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        let shown = name.printable(limit: 100)
        guard code == 0 else {
            guard code == EAI_NONAME else {
                throw .lost(
                    "the name server does not find \(shown) now: \(String(cString: gai_strerror(code))).")
            }
            throw .doubtful("there is no computer named \(shown): correct the host of the address.")
        }
        var found: [HostAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
                found.append(HostAddress(bytes: Array(bytes), family: entry.ai_family))
            }
            next = entry.ai_next
        }
        guard !found.isEmpty else { throw .doubtful("there is no computer named \(shown).") }
        return found
    }

    /// Gives the address to a function of the system.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, Int) -> Result) -> Result {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix($0.count)) }
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, bytes.count) }
        }
    }

    /// Looks whether somebody listens there, by a TCP connection that is closed at once.
    ///
    /// libavformat connects without a time limit of its own for that, so a lost packet would cost seconds.
    ///
    /// - Throws: `PublishingError` with the reason.
    func knock(named printable: String, _ cancellation: Cancellation) throws(PublishingError) {
        let number = socket(
            family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw .lost("the system has no socket left for \(printable).") }
        defer { close(number) }
        let clock = MonotonicClock()
        let end = clock.now + Self.patience
        var failure = withPointer { connect(number, $0, socklen_t($1)) } == 0 ? 0 : errno
        while failure == EINPROGRESS {
            guard clock.now < end, !cancellation.isCancelled else {
                throw .lost("\(printable) does not answer: it is off, or the network does not reach it.")
            }
            var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 50) > 0 else { continue }
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(number, SOL_SOCKET, SO_ERROR, &failure, &size)
        }
        guard failure == 0 else {
            let reason = failure == ECONNREFUSED ? "nobody listens there" : String(cString: strerror(failure))
            throw .lost("\(printable) cannot be reached: \(reason).")
        }
    }
}
