internal import MulticamInputs
internal import MulticamMedia

/// A connection to a WHIP server (RFC 9725). The connection sends video and audio over WebRTC: H.264 packets
/// of the recording or of a separate encoder, and the program's mix encoded as Opus.
///
/// ICE candidates are gathered before the offer is sent, so trickle ICE isn't used. Congestion control isn't
/// available, because GStreamer 1.22 in Debian doesn't provide it. If the server requests lost packets, they
/// are retransmitted.
package final class WHIPConnection: LiveOutputConnection {
    package static let content = PublishedContent(video: true, samples: true)

    package private(set) var statistics = ConnectionStatistics()
    private let peer: WebRTCPeer
    private let client = HTTPClient()
    private let endpoint: WHIPEndpoint
    private let token: Secret?
    /// The resource that the server created for this stream, which must be deleted when the stream ends;
    /// `nil` if the server hasn't sent the resource's URL.
    private var resource: WHIPEndpoint?
    private var setup: [UInt8] = []
    private var confirmation: PeerConfirmation

    /// Maximum number of redirects. Each redirect restarts the timeout.
    private static let mostRedirections = 3
    private static let timeout = Nanoseconds.seconds(5)

    /// Establishes a connection: sends the offer, and then waits for the answer and for the UDP connection.
    ///
    /// - Throws: `PublishingError` if the connection can't be established.
    package init(_ request: ConnectionRequest) throws(PublishingError) {
        endpoint = try WHIPEndpoint(request.address)
        token = request.token
        let place = endpoint.printable
        guard let video = request.streams.video, let profile = H264Profile(video.setup) else {
            throw .refused("\(place): no H.264 video to send. Add a program to the profile.")
        }
        peer = try WebRTCPeer(profile, channels: request.streams.samples?.channels ?? 2, place: place)
        confirmation = PeerConfirmation(since: MonotonicClock().now)
        let offer = try peer.offer(until: MonotonicClock().now + Self.timeout, request.cancellation)
        do throws(PublishingError) {
            let answer = try negotiate(offer, request.cancellation)
            try peer.accept(answer, until: MonotonicClock().now + Self.timeout, request.cancellation)
        } catch {
            close()
            throw error
        }
        confirmation = PeerConfirmation(since: MonotonicClock().now)
    }

    private func negotiate(
        _ offer: String, _ cancellation: Cancellation
    ) throws(PublishingError) -> SessionDescription {
        var target = endpoint
        for _ in 0...Self.mostRedirections {
            let reply = try client.send(
                "POST", target, token: token, offer: offer, within: Self.timeout, unless: cancellation)
            resource = WHIPAnswer.resource(in: reply, of: target)
            switch try WHIPAnswer(reply, of: target) {
            case .redirected(let other): target = other
            case .accepted(let description): return description
            }
        }
        throw .lost("\(endpoint.printable) redirected too many times.")
    }

    /// Sends an H.264 packet or a slice of audio samples.
    package func send(_ item: PublishedItem) throws(PublishingError) {
        switch item {
        case .video(let packet):
            guard !packet.isKey || packet.presentedAt == packet.decodedAt else {
                throw Self.reordered(endpoint)
            }
            if packet.isKey { setup = packet.parameters.setup }
            peer.sendVideo(packet.bytes, after: packet.isKey ? setup : [], at: packet.presentedAt)
        case .samples(let slice):
            peer.sendAudio(slice.samples, channels: slice.channels, at: slice.capturedAt)
        case .audio, .frame: return
        }
        statistics.sentBytes += Int64(item.byteCount)
        try check()
    }

    private static func reordered(_ endpoint: WHIPEndpoint) -> PublishingError {
        .refused(
            "\(endpoint.printable) does not accept B-frames, which the preset of the program produces. Record with `preset: balanced` or `ultrafast`, or "
                + "give the live output a separate encoder with `video`.")
    }

    /// Checks whether the peer is alive, and reads its reception reports.
    package func check() throws(PublishingError) {
        try peer.check()
        let now = MonotonicClock().now
        guard confirmation.isDue(at: now) else { return }
        let report = peer.report
        confirmation.record(report, at: now)
        if let report {
            statistics.roundTrip = report.roundTrip
            statistics.lostPackets = Int64(report.lost)
        }
        guard confirmation.isAlive(at: now) else {
            throw .lost("\(endpoint.printable) has not confirmed any data for several seconds.")
        }
    }

    /// Notifies the server of the end of the stream, and closes the connection.
    package func close() {
        guard let resource else { return }
        self.resource = nil
        do throws(PublishingError) {
            _ = try client.send(
                "DELETE", resource, token: token, within: .milliseconds(400), unless: Cancellation())
        } catch {
            // If the request fails, the server detects the end of the stream by a timeout.
        }
    }
}

/// Determines whether a peer is still connected, based on its reception reports. `PeerConfirmation` is a
/// value type without side effects: the current time is passed to each call.
///
/// The ICE implementation in GStreamer 1.22 doesn't detect when a peer has disconnected. A connected peer
/// sends reception reports (RFC 3550): browsers and most servers send one per second, and GStreamer sends one
/// every six or seven seconds. The timeout is therefore derived from the peer's report interval.
struct PeerConfirmation {
    /// Maximum timeout for a peer, which is also used while the peer's report interval is unknown.
    static let longestSilence = Nanoseconds.seconds(20)
    /// Minimum timeout for a peer.
    static let shortestSilence = Nanoseconds.seconds(4)
    /// Interval between checks of a peer's reports.
    private static let interval = Nanoseconds.milliseconds(500)
    /// Number of reports that are needed to determine a peer's report interval.
    private static let minReportCount = 3

    private var lastCheck: ClockTime
    private var last: WebRTCPeer.Report?
    private var changed: ClockTime
    private var longestGap = Nanoseconds.zero
    private var count = 0

    init(since now: ClockTime) { (lastCheck, changed) = (now, now) }

    /// Whether the next check is due.
    func isDue(at now: ClockTime) -> Bool { now - lastCheck >= Self.interval }

    /// Records the peer's latest report.
    mutating func record(_ report: WebRTCPeer.Report?, at now: ClockTime) {
        lastCheck = now
        guard report != last else { return }
        longestGap = max(longestGap, now - changed)
        (last, changed, count) = (report, now, count + 1)
    }

    /// The peer's timeout: three times its longest report interval so far.
    private var timeout: Nanoseconds {
        guard count >= Self.minReportCount else { return Self.longestSilence }
        return min(max(longestGap + longestGap + longestGap, Self.shortestSilence), Self.longestSilence)
    }

    /// Whether the peer is still connected.
    func isAlive(at now: ClockTime) -> Bool { now - changed < timeout }
}
