internal import CMulticamSRT
internal import Glibc
internal import MulticamMedia

/// A non-blocking SRT socket with exactly one owner.
struct SRTSocket: ~Copyable {
    let number: SRTSOCKET

    /// Initializes libsrt and disables its messages on standard error.
    private static let library: Void = {
        srt_startup()
        srt_be_silent()
    }()

    /// Maximum time that a caller waits for the listener's response. The caller sends four connection
    /// requests per second.
    static let connectTimeout = Nanoseconds.seconds(2)

    /// Creates a socket with the settings that an SRT address specifies.
    static func make(_ settings: SRTSettings) throws(PublishingError) -> SRTSocket {
        library
        let made = srt_create_socket()
        guard made != SRT_INVALID_SOCK else {
            throw .lost("the SRT socket cannot be created: \(reason).")
        }
        let socket = SRTSocket(owning: made)
        try socket.configure(settings)
        return socket
    }

    private func configure(_ settings: SRTSettings) throws(PublishingError) {
        try set(SRTO_RCVSYN, false)
        try set(SRTO_SNDSYN, false)
        try set(SRTO_CONNTIMEO, Int32(clamping: Self.connectTimeout.count / 1_000_000))
        try set(SRTO_LATENCY, Int32(clamping: settings.latency.count / 1_000_000))
        try set(SRTO_PEERIDLETIMEO, Int32(clamping: settings.idleTimeout.count / 1_000_000))
        if let passphrase = settings.passphrase {
            try set(SRTO_PBKEYLEN, Int32(settings.keyLength))
            try set(SRTO_PASSPHRASE, passphrase.value)
        }
        if let streamID = settings.streamID { try set(SRTO_STREAMID, streamID.value) }
    }

    private init(owning number: SRTSOCKET) { self.number = number }

    deinit { srt_close(number) }

    private func set<Value: BitwiseCopyable>(
        _ option: SRT_SOCKOPT, _ value: Value
    ) throws(PublishingError) {
        var value = value
        guard srt_setsockflag(number, option, &value, Int32(MemoryLayout<Value>.size)) == 0 else {
            throw .refused("SRT rejected a setting in the address: \(Self.reason).")
        }
    }

    private func set(_ option: SRT_SOCKOPT, _ text: String) throws(PublishingError) {
        guard srt_setsockflag(number, option, text, Int32(text.utf8.count)) == 0 else {
            throw .refused("SRT rejected the passphrase or the stream ID in the address.")
        }
    }

    /// libsrt's message for the last error on the calling thread.
    static var reason: String {
        String(cString: srt_strerror(srt_getlasterror(nil), 0)).trimmingFullStop.printable()
    }

    /// State of the connection: connecting, connected, or broken.
    var state: SRT_SOCKSTATUS { srt_getsockstate(number) }

    /// Connects to a listener.
    ///
    /// - Throws: `PublishingError` if the listener doesn't respond or refuses the connection.
    func connect(
        to host: HostAddress, named printable: String, _ cancellation: Cancellation
    ) throws(PublishingError) {
        let clock = MonotonicClock()
        let end = clock.now + Self.connectTimeout + .milliseconds(100)
        guard host.withPointer({ srt_connect(number, $0, Int32($1)) }) != SRT_ERROR else {
            throw .lost("\(printable) cannot be reached: \(Self.reason).")
        }
        while state != SRTS_CONNECTED {
            guard state == SRTS_CONNECTING, clock.now < end else {
                throw Self.refusal(srt_getrejectreason(number), printable)
            }
            if cancellation.wait(until: clock.now + .milliseconds(10)) {
                throw .lost("the live output is stopping.")
            }
        }
    }

    /// Returns an error with the reason why a listener refused the connection.
    private static func refusal(_ code: Int32, _ printable: String) -> PublishingError {
        switch UInt32(bitPattern: code) {
        case SRT_REJ_BADSECRET.rawValue:
            return .refused("\(printable) rejected the passphrase. Correct it in the address.")
        case SRT_REJ_UNSECURE.rawValue:
            return .refused(
                "only one side uses a passphrase. Set the same passphrase in the address and on \(printable)."
            )
        case SRT_REJ_VERSION.rawValue, SRT_REJ_MESSAGEAPI.rawValue, SRT_REJ_CONGESTION.rawValue,
            SRT_REJ_FILTER.rawValue, SRT_REJ_GROUP.rawValue:
            return .refused(
                "\(printable) uses incompatible SRT settings. The receiver must accept SRT live mode.")
        case SRT_REJ_TIMEOUT.rawValue, SRT_REJ_UNKNOWN.rawValue:
            return .lost(
                "\(printable) is not responding: no SRT listener is running there, or the network cannot reach it."
            )
        case 1400, 1401, 1403, 1404, 1405, 1406, 1415:
            return .refused("\(printable) rejected the stream ID (\(code)). Correct it in the address.")
        default: return .lost("\(printable) temporarily rejected the connection (\(code)).")
        }
    }

    /// Waits without a timeout until a caller connects.
    ///
    /// - Throws: `PublishingError` if the port is in use or the live output ends.
    func accept(
        at host: HostAddress, named printable: String, _ cancellation: Cancellation
    ) throws(PublishingError) -> SRTSocket {
        guard host.withPointer({ srt_bind(number, $0, Int32($1)) }) != SRT_ERROR,
            srt_listen(number, 1) != SRT_ERROR
        else {
            throw .lost(
                "SRT cannot listen on \(printable): the port is in use, or the address does not belong to this computer."
            )
        }
        let clock = MonotonicClock()
        while true {
            let caller = srt_accept(number, nil, nil)
            if caller != SRT_INVALID_SOCK { return SRTSocket(owning: caller) }
            guard state == SRTS_LISTENING else {
                throw .lost("SRT stopped listening on \(printable): \(Self.reason).")
            }
            if cancellation.wait(until: clock.now + .milliseconds(20)) {
                throw .lost("the live output is stopping.")
            }
        }
    }

    /// Sends an SRT packet of at most 1316 bytes.
    ///
    /// - Returns: `false` if libsrt's send buffer is currently full.
    /// - Throws: `PublishingError` if the connection is lost.
    func send(_ bytes: UnsafeRawBufferPointer, _ printable: String) throws(PublishingError) -> Bool {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard srt_sendmsg2(number, start, Int32(bytes.count), nil) == SRT_ERROR else { return true }
        guard srt_getlasterror(nil) == SRT_EASYNCSND.rawValue else {
            throw .lost("the connection to \(printable) was lost: \(Self.reason).")
        }
        return false
    }

    /// libsrt's statistics for the connection.
    var statistics: SRT_TRACEBSTATS {
        var figures = SRT_TRACEBSTATS()
        srt_bistats(number, &figures, 0, 1)
        return figures
    }
}

/// A numeric address of a host, with a port.
struct HostAddress {
    enum Transport {
        case stream, datagram
    }

    private let bytes: [UInt8]
    let family: Int32

    /// Timeout for a server to accept a TCP connection, which is long enough for one retransmission by the
    /// operating system.
    private static let probeTimeout = Nanoseconds.milliseconds(1200)

    /// Resolves the addresses of a host. The call blocks until the name server responds or the query times
    /// out.
    ///
    /// - Parameters:
    ///   - name: Host name or numeric address; empty for all addresses of this computer.
    ///   - port: Port number, 1 to 65535.
    ///   - transport: The transport protocol, TCP or UDP.
    ///   - isListener: Whether this process will listen at the address.
    /// - Returns: At least one address, in order of preference.
    /// - Throws: `PublishingError` that names the host if its addresses can't be resolved.
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
                    "the host name \(shown) cannot be resolved: \(String(cString: gai_strerror(code))).")
            }
            throw .ambiguous("the host name \(shown) does not exist. Correct the host in the address.")
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
        guard !found.isEmpty else { throw .ambiguous("the host name \(shown) does not exist.") }
        return found
    }

    /// Calls a function with a pointer to the socket address.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, Int) -> Result) -> Result {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix($0.count)) }
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, bytes.count) }
        }
    }

    /// Checks whether a server accepts connections at the address, by opening a TCP connection and closing it
    /// immediately.
    ///
    /// The check is needed because libavformat doesn't support a connection timeout. Without the check, a
    /// single lost packet would delay a connection by seconds.
    ///
    /// - Throws: `PublishingError` with the reason why the server doesn't accept connections.
    func probe(named printable: String, _ cancellation: Cancellation) throws(PublishingError) {
        let number = socket(
            family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard number >= 0 else { throw .lost("\(printable): the system has run out of sockets.") }
        defer { close(number) }
        let clock = MonotonicClock()
        let end = clock.now + Self.probeTimeout
        var failure = withPointer { connect(number, $0, socklen_t($1)) } == 0 ? 0 : errno
        while failure == EINPROGRESS {
            guard clock.now < end, !cancellation.isCancelled else {
                throw .lost(
                    "\(printable) is not responding: it is switched off, or the network cannot reach it.")
            }
            var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 50) > 0 else { continue }
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(number, SOL_SOCKET, SO_ERROR, &failure, &size)
        }
        guard failure == 0 else {
            let reason = failure == ECONNREFUSED ? "connection refused" : String(cString: strerror(failure))
            throw .lost("\(printable) cannot be reached: \(reason).")
        }
    }
}
