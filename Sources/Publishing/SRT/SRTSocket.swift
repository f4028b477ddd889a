internal import CSRT
internal import Glibc
internal import Media

/// An SRT socket with exactly one owner, which does not block.
struct SRTSocket: ~Copyable {
    let number: SRTSOCKET

    /// Starts libsrt, which writes nothing to standard error.
    private static let library: Void = {
        srt_startup()
        srt_be_silent()
    }()

    /// How long a caller waits for the listener's answer, at most; it asks four times a second.
    static let patience = Nanoseconds.seconds(2)

    /// Makes a socket with the settings of an address.
    static func make(_ settings: SRTSettings) throws(PublishingError) -> SRTSocket {
        library
        let made = srt_create_socket()
        guard made != SRT_INVALID_SOCK else {
            throw .lost("SRT cannot make a socket: \(reason).")
        }
        let socket = SRTSocket(owning: made)
        try socket.configure(settings)
        return socket
    }

    private func configure(_ settings: SRTSettings) throws(PublishingError) {
        try set(SRTO_RCVSYN, false)
        try set(SRTO_SNDSYN, false)
        try set(SRTO_CONNTIMEO, Int32(clamping: Self.patience.count / 1_000_000))
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
            throw .refused("SRT does not take a setting of the address: \(Self.reason).")
        }
    }

    private func set(_ option: SRT_SOCKOPT, _ text: String) throws(PublishingError) {
        guard srt_setsockflag(number, option, text, Int32(text.utf8.count)) == 0 else {
            throw .refused("SRT does not take the passphrase or the stream ID of the address.")
        }
    }

    /// What libsrt says of the calling thread's last error.
    static var reason: String {
        String(cString: srt_strerror(srt_getlasterror(nil), 0)).trimmingFullStop.printable()
    }

    /// Whether the connection stands, is being made, or is gone.
    var state: SRT_SOCKSTATUS { srt_getsockstate(number) }

    /// Connects to a listener.
    ///
    /// - Throws: `PublishingError` when there is no answer, or a refusal.
    func connect(
        to host: HostAddress, named printable: String, _ cancellation: Cancellation
    ) throws(PublishingError) {
        let clock = MonotonicClock()
        let end = clock.now + Self.patience + .milliseconds(100)
        guard host.withPointer({ srt_connect(number, $0, Int32($1)) }) != SRT_ERROR else {
            throw .lost("\(printable) cannot be reached: \(Self.reason).")
        }
        while state != SRTS_CONNECTED {
            guard state == SRTS_CONNECTING, clock.now < end else {
                throw Self.refusal(srt_getrejectreason(number), printable)
            }
            if cancellation.wait(until: clock.now + .milliseconds(10)) { throw .lost("it ends.") }
        }
    }

    /// Why a listener does not take the connection.
    private static func refusal(_ code: Int32, _ printable: String) -> PublishingError {
        switch UInt32(bitPattern: code) {
        case SRT_REJ_BADSECRET.rawValue:
            return .refused("\(printable) refuses the passphrase: correct it in the address.")
        case SRT_REJ_UNSECURE.rawValue:
            return .refused(
                "\(printable) and the address differ in whether there is a passphrase: give both the same.")
        case SRT_REJ_VERSION.rawValue, SRT_REJ_MESSAGEAPI.rawValue, SRT_REJ_CONGESTION.rawValue,
            SRT_REJ_FILTER.rawValue, SRT_REJ_GROUP.rawValue:
            return .refused(
                "\(printable) speaks SRT with settings that do not fit: it must take live streams.")
        case SRT_REJ_TIMEOUT.rawValue, SRT_REJ_UNKNOWN.rawValue:
            return .lost(
                "\(printable) does not answer: nobody listens there, or the network does not reach it.")
        case 1400, 1401, 1403, 1404, 1405, 1406, 1415:
            return .refused("\(printable) refuses the stream ID (\(code)): correct it in the address.")
        default: return .lost("\(printable) refuses the connection for now (\(code)).")
        }
    }

    /// Waits for a caller as long as it takes.
    ///
    /// - Throws: `PublishingError` when the port is in use, or the publication ends.
    func accept(
        at host: HostAddress, named printable: String, _ cancellation: Cancellation
    ) throws(PublishingError) -> SRTSocket {
        guard host.withPointer({ srt_bind(number, $0, Int32($1)) }) != SRT_ERROR,
            srt_listen(number, 1) != SRT_ERROR
        else {
            throw .lost("SRT cannot listen at \(printable): the port is in use, or is not this computer's.")
        }
        let clock = MonotonicClock()
        while true {
            let caller = srt_accept(number, nil, nil)
            if caller != SRT_INVALID_SOCK { return SRTSocket(owning: caller) }
            guard state == SRTS_LISTENING else {
                throw .lost("SRT does not listen at \(printable) any more: \(Self.reason).")
            }
            if cancellation.wait(until: clock.now + .milliseconds(20)) { throw .lost("it ends.") }
        }
    }

    /// Sends a packet of at most 1316 bytes.
    ///
    /// - Returns: `false` when there is no room for it now.
    /// - Throws: `PublishingError` when the connection is gone.
    func send(_ bytes: UnsafeRawBufferPointer, _ printable: String) throws(PublishingError) -> Bool {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard srt_sendmsg2(number, start, Int32(bytes.count), nil) == SRT_ERROR else { return true }
        guard srt_getlasterror(nil) == SRT_EASYNCSND.rawValue else {
            throw .lost("the connection to \(printable) is lost: \(Self.reason).")
        }
        return false
    }

    /// What libsrt measures of the connection.
    var statistics: SRT_TRACEBSTATS {
        var figures = SRT_TRACEBSTATS()
        srt_bistats(number, &figures, 0, 1)
        return figures
    }
}
