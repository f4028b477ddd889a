internal import CSRT
internal import Media

/// MPEG-TS over SRT, as caller or as listener.
///
/// libsrt alone drops what it cannot send in time, and floods a link that is too narrow; either way half frames arrive. This connection gives
/// it no more than the link takes (`SRTWindow`), so that the publication drops whole frames up to the next key frame.
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
    private var window: SRTWindow
    /// Bytes that libsrt got.
    private var given: Int64 = 0
    /// What libsrt kept when it was looked at last, with what it got since then, and when that was.
    private var kept = (bytes: 0, age: Nanoseconds.zero)
    private var looked: ClockTime

    /// Bytes of a packet: seven of MPEG-TS, as libsrt's live mode sends them.
    private static let packetLength = 7 * 188
    /// The oldest bytes that libsrt may keep before it gets no more. It drops what is a second old and older than the latency.
    private static let mostWaiting = Nanoseconds.milliseconds(700)
    /// A receiver acknowledges a hundred times a second.
    private static let interval = Nanoseconds.milliseconds(10)

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
        looked = heard
        window = SRTWindow(latency: settings.latency, at: heard)
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
        var rest = bytes[...]
        while !rest.isEmpty {
            let packet = rest.prefix(Self.packetLength)
            try waitForRoom(for: packet.count)
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
                given += Int64(packet.count)
            } else {
                try pause()
            }
        }
    }

    func check() throws(PublishingError) { try check(isLimited: false) }

    private func check(isLimited: Bool) throws(PublishingError) {
        guard socket.state == SRTS_CONNECTED else {
            throw .lost("\(printable) has closed the connection, or does not answer any more.")
        }
        let (figures, now) = (socket.statistics, clock.now)
        looked = now
        // With nothing under way the peer has nothing to acknowledge.
        if figures.pktRecvACKTotal != acknowledgements || figures.pktFlightSize == 0 {
            acknowledgements = figures.pktRecvACKTotal
            heard = now
        }
        kept = (Int(figures.byteSndBuf), .milliseconds(Int64(figures.msSndBuf)))
        window.update(
            SRTWindow.Figures(
                acknowledged: given - Int64(figures.byteSndBuf),
                roundTrip: .seconds(rounding: figures.msRTT / 1000),
                sent: figures.pktSentTotal, lost: Int64(figures.pktSndLossTotal)),
            isLimited: isLimited, at: now)
        // libsrt itself needs five seconds, whatever its idle timeout says.
        guard now - heard < settings.idleTimeout else {
            throw .lost("\(printable) has not answered for \(settings.idleTimeout.text).")
        }
    }

    /// Waits until libsrt keeps less than the link takes, and nothing that is too old.
    private func waitForRoom(for count: Int) throws(PublishingError) {
        let oldest = max(Self.mostWaiting, settings.latency)
        if clock.now - looked > Self.interval { try check() }
        while kept.age > oldest || window.most.map({ kept.bytes + count > $0 }) ?? false { try pause() }
        kept.bytes += count
    }

    private func pause() throws(PublishingError) {
        if cancellation.wait(until: clock.now + Self.interval) { throw .lost("it ends.") }
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
        statistics.waiting = .milliseconds(Int64(figures.msSndBuf))
        return statistics
    }

    /// Nothing is to be said: libsrt tells the peer when the socket closes.
    func close() {}
}
