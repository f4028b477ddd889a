internal import CMulticamSRT
internal import MulticamMedia

/// Sends MPEG-TS over SRT, in caller or listener mode.
///
/// By default, libsrt drops data that it can't send in time, and sends more data than a slow link can carry.
/// In both cases, the receiver gets incomplete frames. This connection limits the data passed to libsrt to
/// the link's capacity (`SRTWindow`), so that the live output instead drops whole frames up to the next key
/// frame.
final class SRTConnection: LiveOutputConnection {
    static let content = PublishedContent.packets

    private let printable: String
    private let settings: SRTSettings
    private let cancellation: Cancellation
    private let socket: SRTSocket
    private let muxer: LiveMuxer
    private let clock = MonotonicClock()
    /// Arrival time of the peer's last acknowledgment.
    private var lastAcknowledgment: ClockTime
    private var acknowledgments: Int32 = 0
    private var window: SRTWindow
    /// Number of bytes passed to libsrt.
    private var submittedBytes: Int64 = 0
    /// Number of bytes in libsrt's send buffer (at the last check, plus the bytes passed to libsrt since
    /// then), and the age of the oldest data in the buffer.
    private var buffered = (bytes: 0, age: Nanoseconds.zero)
    private var lastCheck: ClockTime

    /// SRT packet size in bytes: seven MPEG-TS packets, as in libsrt's live mode.
    private static let packetLength = 7 * 188
    /// Maximum age of data in libsrt's send buffer. libsrt drops data that is older than both one second and
    /// the latency.
    private static let maxBufferedDuration = Nanoseconds.milliseconds(700)
    /// Interval between polls of libsrt. A receiver sends 100 acknowledgments per second.
    private static let interval = Nanoseconds.milliseconds(10)

    /// Connects to a listener (caller mode), or waits for a caller (listener mode).
    init(_ request: ConnectionRequest) throws(PublishingError) {
        let (address, cancellation) = (request.address, request.cancellation)
        let settings = address.srt ?? SRTSettings()
        (printable, self.settings, self.cancellation) = (address.printable, settings, cancellation)
        muxer = try LiveMuxer(.transportStream, request.streams, to: address.printable)
        let hosts = try HostAddress.find(
            address.host, address.port, .datagram, isListener: settings.mode == .listener)
        socket = try Self.open(hosts[...], address.printable, settings, cancellation)
        lastAcknowledgment = MonotonicClock().now
        lastCheck = lastAcknowledgment
        window = SRTWindow(latency: settings.latency, at: lastAcknowledgment)
    }

    /// Tries to connect to the host's addresses, one after the other.
    private static func open(
        _ hosts: ArraySlice<HostAddress>, _ printable: String, _ settings: SRTSettings,
        _ cancellation: Cancellation
    ) throws(PublishingError) -> SRTSocket {
        guard let host = hosts.first else { throw .lost("the IP address of \(printable) was not found.") }
        let socket = try SRTSocket.make(settings)
        if settings.mode == .listener { return try socket.accept(at: host, named: printable, cancellation) }
        do throws(PublishingError) {
            try socket.connect(to: host, named: printable, cancellation)
            return socket
        } catch {
            guard error.kind == .lost, hosts.count > 1, !cancellation.isCancelled else { throw error }
            return try open(hosts.dropFirst(), printable, settings, cancellation)
        }
    }

    func send(_ item: PublishedItem) throws(PublishingError) {
        let bytes = try muxer.bytes(of: item)
        var rest = bytes[...]
        while !rest.isEmpty {
            let packet = rest.prefix(Self.packetLength)
            try waitForRoom(for: packet.count)
            // The closure returns a `Result`, because rethrowing would lose the error's type.
            let sent = packet.withUnsafeBytes { bytes -> Result<Bool, PublishingError> in
                do throws(PublishingError) {
                    return .success(try socket.send(bytes, printable))
                } catch {
                    return .failure(error)
                }
            }
            if try sent.get() {
                rest = rest.dropFirst(packet.count)
                submittedBytes += Int64(packet.count)
            } else {
                try pause()
            }
        }
    }

    func check() throws(PublishingError) { try check(isLimited: false) }

    private func check(isLimited: Bool) throws(PublishingError) {
        guard socket.state == SRTS_CONNECTED else {
            throw .lost("\(printable) closed the connection or stopped responding.")
        }
        let (figures, now) = (socket.statistics, clock.now)
        lastCheck = now
        // If no packets are in flight, the peer has nothing to acknowledge.
        if figures.pktRecvACKTotal != acknowledgments || figures.pktFlightSize == 0 {
            acknowledgments = figures.pktRecvACKTotal
            lastAcknowledgment = now
        }
        buffered = (Int(figures.byteSndBuf), .milliseconds(Int64(figures.msSndBuf)))
        window.update(
            SRTWindow.Figures(
                acknowledged: submittedBytes - Int64(figures.byteSndBuf),
                roundTrip: .seconds(rounding: figures.msRTT / 1000),
                sent: figures.pktSentTotal, lost: Int64(figures.pktSndLossTotal)),
            isLimited: isLimited, at: now)
        // libsrt needs five seconds to detect a lost peer, regardless of its idle timeout.
        guard now - lastAcknowledgment < settings.idleTimeout else {
            throw .lost("\(printable) has not responded for \(settings.idleTimeout.text).")
        }
    }

    /// Waits until libsrt's send buffer has room according to the window, and contains no data that is too
    /// old.
    private func waitForRoom(for count: Int) throws(PublishingError) {
        let oldest = max(Self.maxBufferedDuration, settings.latency)
        if clock.now - lastCheck > Self.interval { try check() }
        while buffered.age > oldest || window.limit.map({ buffered.bytes + count > $0 }) ?? false {
            try pause()
        }
        buffered.bytes += count
    }

    private func pause() throws(PublishingError) {
        if cancellation.wait(until: clock.now + Self.interval) { throw .lost("the live output is stopping.") }
        try check(isLimited: true)
    }

    var statistics: ConnectionStatistics {
        let figures = socket.statistics
        var statistics = ConnectionStatistics()
        statistics.sentBytes = Int64(clamping: figures.byteSentTotal)
        statistics.roundTrip = .seconds(rounding: figures.msRTT / 1000)
        statistics.sentPackets = figures.pktSentTotal
        statistics.lostPackets = Int64(figures.pktSndLossTotal)
        statistics.droppedPackets = Int64(figures.pktSndDropTotal) + window.overloads
        statistics.queuedDuration = .milliseconds(Int64(figures.msSndBuf))
        return statistics
    }

    /// Does nothing, because libsrt notifies the peer when the socket is closed on deinitialization.
    func close() {}
}

/// Limits the number of bytes in flight to an SRT receiver. `SRTWindow` is a value type without side effects:
/// measurements and the current time are passed to each call.
///
/// SRT's live mode sends all data immediately. If the data rate exceeds a link's capacity, the link's queue
/// overflows and the receiver skips the missing data, which results in incomplete frames. The window keeps
/// the link's queue short. Excess data waits in the live output's queue, which drops whole frames up to the
/// next key frame. As in TCP Vegas (Brakmo 1995), the window is based on delay rather than losses, because
/// losses aren't always caused by congestion.
struct SRTWindow {
    /// libsrt's statistics for a connection.
    struct Figures {
        /// Number of bytes acknowledged by the receiver since the connection started.
        var acknowledged: Int64 = 0
        /// Smoothed round-trip time.
        var roundTrip = Nanoseconds.zero
        /// Number of packets sent since the connection started, and number of those packets that were lost
        /// before retransmission.
        var sent: Int64 = 0
        var lost: Int64 = 0
    }

    /// Maximum number of bytes in flight; `nil` while the link has sufficient capacity.
    private(set) var limit: Int?
    /// Number of measurement intervals in which the receiver must have skipped data because retransmitted
    /// packets couldn't arrive in time.
    private(set) var overloads: Int64 = 0

    private let latency: Nanoseconds
    /// Maximum permitted queuing delay in the network.
    private let maxQueueDelay: Nanoseconds
    /// Shortest round-trip times of the current epoch and of the previous epoch, and the start of the current
    /// epoch. Older measurements are discarded because a network route can become longer.
    private var roundTripMinima: (now: Nanoseconds?, before: Nanoseconds?, since: ClockTime)
    private var stretch: (since: ClockTime, figures: Figures)
    private var changed: ClockTime

    /// Measurement interval for the link's capacity.
    private static let stretchLength = Nanoseconds.milliseconds(200)
    private static let epochLength = Nanoseconds.seconds(15)
    /// Bounds of the window in bytes. The minimum is a few packets; the maximum is more than any live output
    /// needs.
    private static let minLimit = 3 * 1316
    private static let unlimited = 4 << 20

    /// Creates the window for a new connection.
    ///
    /// - Parameters:
    ///   - latency: The receiver's latency, which is the duration of its packet buffer.
    ///   - now: Start time of the connection.
    init(latency: Nanoseconds, at now: ClockTime) {
        self.latency = latency
        maxQueueDelay = max(.milliseconds(40), latency / 2)
        roundTripMinima = (nil, nil, now)
        stretch = (now, Figures())
        changed = now
    }

    /// Updates the window with new statistics.
    ///
    /// - Parameters:
    ///   - figures: libsrt's current statistics for the connection.
    ///   - isLimited: Whether data is currently waiting because the window is full.
    ///   - now: The current time.
    mutating func update(_ figures: Figures, isLimited: Bool, at now: ClockTime) {
        let base = baseRoundTrip(with: figures.roundTrip, at: now)
        let queued = figures.roundTrip - base
        let elapsed = now - stretch.since
        if elapsed >= Self.stretchLength {
            let taken = figures.acknowledged - stretch.figures.acknowledged
            let (lost, sent) = (figures.lost - stretch.figures.lost, figures.sent - stretch.figures.sent)
            // If packets are queued for this long in the network, retransmitted packets arrive too late.
            if lost * 50 > sent, queued > latency / 2 { overloads += 1 }
            if queued > maxQueueDelay {
                let fits = taken.rescaled(from: elapsed.count, to: (base + maxQueueDelay).count)
                limit = min(max(Int(clamping: fits), Self.minLimit), limit ?? .max)
                changed = now
            }
            stretch = (now, figures)
        }
        guard let limit, isLimited, queued <= maxQueueDelay,
            now - changed >= max(base + queued, .milliseconds(50))
        else { return }
        changed = now
        self.limit = limit < Self.unlimited ? limit + limit / 8 : nil
    }

    private mutating func baseRoundTrip(with roundTrip: Nanoseconds, at now: ClockTime) -> Nanoseconds {
        if now - roundTripMinima.since >= Self.epochLength {
            roundTripMinima = (nil, roundTripMinima.now, now)
        }
        let current = min(roundTripMinima.now ?? roundTrip, roundTrip)
        roundTripMinima.now = current
        return min(current, roundTripMinima.before ?? current)
    }
}
