internal import CSRT
internal import Media

/// MPEG-TS over SRT, as caller or as listener.
///
/// libsrt alone drops what it cannot send in time, in the middle of frames. This connection stops giving it packets before, so that the
/// publication drops whole frames up to the next key frame.
final class SRTConnection: DestinationConnection {
    static let content = PublishedContent.packets

    private let printable: String
    private let settings: SRTSettings
    private let cancellation: Cancellation
    private let socket: SRTSocket
    private let muxer: LiveMuxer
    private let clock = MonotonicClock()
    /// When the peer acknowledged something last.
    private var heard: ClockTime
    private var acknowledgements: Int32 = 0
    /// What the present stretch of time began with, to see whether the network takes what comes.
    private var stretch: (since: ClockTime, sent: Int64, lost: Int32)
    private var shortestRoundTrip = Double.infinity
    /// How often the network was seen to take less than came.
    private var overloads: Int64 = 0

    /// Bytes of a packet: seven of MPEG-TS, as libsrt's live mode sends them.
    private static let packetLength = 7 * 188
    /// The oldest bytes that libsrt may keep before it gets no more. It drops what is a second old and older than the latency.
    private static let mostWaiting = Nanoseconds.milliseconds(700)
    private static let stretchLength = Nanoseconds.milliseconds(300)

    /// Connects to a listener, or waits for a caller.
    init(_ request: DestinationRequest) throws(PublishingError) {
        let (address, cancellation) = (request.address, request.cancellation)
        let settings = address.srt ?? SRTSettings()
        (printable, self.settings, self.cancellation) = (address.printable, settings, cancellation)
        muxer = try LiveMuxer(.transportStream, request.streams, to: address.printable)
        let hosts = try HostAddress.find(
            address.host, address.port, .datagram, isListener: settings.mode == .listener)
        socket = try Self.open(hosts[...], address.printable, settings, cancellation)
        heard = MonotonicClock().now
        stretch = (heard, 0, 0)
    }

    /// Tries one address of the host after the other.
    private static func open(
        _ hosts: ArraySlice<HostAddress>, _ printable: String, _ settings: SRTSettings,
        _ cancellation: Cancellation
    ) throws(PublishingError) -> SRTSocket {
        guard let host = hosts.first else { throw .lost("\(printable) has no address.") }
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
        try waitForRoom()
        var rest = bytes[...]
        while !rest.isEmpty {
            let packet = rest.prefix(Self.packetLength)
            // A rethrowing closure would lose the error's type.
            let sent = packet.withUnsafeBytes { bytes -> Result<Bool, PublishingError> in
                do throws(PublishingError) {
                    return .success(try socket.send(bytes, printable))
                } catch {
                    return .failure(error)
                }
            }
            if try sent.get() {
                rest = rest.dropFirst(packet.count)
            } else {
                try pause()
            }
        }
    }

    func check() throws(PublishingError) {
        guard socket.state == SRTS_CONNECTED else {
            throw .lost("\(printable) has closed the connection, or does not answer any more.")
        }
        let figures = socket.statistics
        // With nothing under way the peer has nothing to acknowledge.
        if figures.pktRecvACKTotal != acknowledgements || figures.pktFlightSize == 0 {
            acknowledgements = figures.pktRecvACKTotal
            heard = clock.now
        }
        look(for: figures)
        // libsrt itself needs five seconds, whatever its idle timeout says.
        guard clock.now - heard < settings.idleTimeout else {
            throw .lost("\(printable) has not answered for \(settings.idleTimeout.text).")
        }
    }

    /// Finds a network whose queue has filled: packets get lost, and the round trip has grown by most of the latency. The receiver
    /// passes over what comes too late, so libsrt keeps little and does not tell. Losses alone are healed by sending again.
    private func look(for figures: SRT_TRACEBSTATS) {
        shortestRoundTrip = min(shortestRoundTrip, figures.msRTT)
        guard clock.now - stretch.since >= Self.stretchLength else { return }
        let sent = figures.pktSentTotal - stretch.sent
        let lost = Int64(figures.pktSndLossTotal - stretch.lost)
        let longer = figures.msRTT - shortestRoundTrip
        if lost * 20 > sent, longer > max(settings.latency.inMilliseconds * 0.6, 60) { overloads += 1 }
        stretch = (clock.now, figures.pktSentTotal, figures.pktSndLossTotal)
    }

    /// Waits until what libsrt keeps has become younger: the link takes less than comes.
    private func waitForRoom() throws(PublishingError) {
        let most = max(Self.mostWaiting, settings.latency)
        try check()
        while waiting > most { try pause() }
    }

    private func pause() throws(PublishingError) {
        if cancellation.wait(until: clock.now + .milliseconds(10)) { throw .lost("it ends.") }
        try check()
    }

    private var waiting: Nanoseconds { .milliseconds(Int64(socket.statistics.msSndBuf)) }

    var statistics: ConnectionStatistics {
        let figures = socket.statistics
        var statistics = ConnectionStatistics()
        statistics.sentBytes = Int64(clamping: figures.byteSentTotal)
        statistics.roundTrip = .seconds(rounding: figures.msRTT / 1000)
        statistics.sentPackets = figures.pktSentTotal
        statistics.lostPackets = Int64(figures.pktSndLossTotal)
        statistics.droppedPackets = Int64(figures.pktSndDropTotal) + overloads
        statistics.waiting = .milliseconds(Int64(figures.msSndBuf))
        return statistics
    }

    /// Nothing is to be said: libsrt tells the peer when the socket closes.
    func close() {}
}
