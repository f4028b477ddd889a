internal import Inputs
internal import Media

/// A connection to a WHIP server (RFC 9725) that sends H.264, either recorded or encoded separately, and the mix in
/// Opus over WebRTC.
///
/// Candidates are gathered before the offer is sent, so trickle ICE isn't used. Congestion control isn't available,
/// because GStreamer 1.22 in Debian doesn't provide it. Lost packets are retransmitted when the server requests them.
package final class WHIPConnection: LiveOutputConnection {
    package static let content = PublishedContent(video: true, samples: true)

    package private(set) var statistics = ConnectionStatistics()
    private let peer: WebRTCPeer
    private let caller = HTTPCaller()
    private let endpoint: WHIPEndpoint
    private let token: Secret?
    /// The resource that the server created for this stream, to be deleted at the end; `nil` if the server hasn't sent
    /// its URL.
    private var resource: WHIPEndpoint?
    private var setup: [UInt8] = []
    private var confirmation: PeerConfirmation

    /// Maximum number of redirects. Each redirect restarts the timeout.
    private static let mostRedirections = 3
    private static let patience = Nanoseconds.seconds(5)

    /// Connects: sends the offer, then waits for the answer and for the UDP connection.
    ///
    /// - Throws: `PublishingError` if the connection can't be established.
    package init(_ request: ConnectionRequest) throws(PublishingError) {
        endpoint = try WHIPEndpoint(request.address)
        token = request.token
        let place = endpoint.place
        guard let video = request.streams.video, let profile = H264Profile(video.setup) else {
            throw .refused("\(place): no H.264 video to send. Add a program to the profile.")
        }
        peer = try WebRTCPeer(profile, channels: request.streams.samples?.channels ?? 2, place: place)
        confirmation = PeerConfirmation(since: MonotonicClock().now)
        let offer = try peer.offer(until: MonotonicClock().now + Self.patience, request.cancellation)
        do throws(PublishingError) {
            let answer = try negotiate(offer, request.cancellation)
            try peer.accept(answer, until: MonotonicClock().now + Self.patience, request.cancellation)
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
            let reply = try caller.ask(
                "POST", target, token: token, offer: offer, within: Self.patience, unless: cancellation)
            resource = WHIPAnswer.resource(in: reply, of: target)
            switch try WHIPAnswer(reply, of: target) {
            case .elsewhere(let other): target = other
            case .accepted(let description): return description
            }
        }
        throw .lost("\(endpoint.place) redirected too many times.")
    }

    /// Sends a frame or samples.
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
            "\(endpoint.place) does not accept B-frames, which the preset of the program produces. Record with `preset: balanced` or `ultrafast`, or "
                + "give the live output a separate encoder with `video`.")
    }

    /// Checks whether the peer is alive, and reads its reception reports.
    package func check() throws(PublishingError) {
        try peer.check()
        let now = MonotonicClock().now
        guard confirmation.isDue(at: now) else { return }
        let report = peer.report
        confirmation.heard(report, at: now)
        if let report {
            statistics.roundTrip = report.roundTrip
            statistics.lostPackets = Int64(report.lost)
        }
        guard confirmation.isAlive(at: now) else {
            throw .lost("\(endpoint.place) has not confirmed any data for several seconds.")
        }
    }

    /// Notifies the server of the end of the stream, and closes the connection.
    package func close() {
        guard let resource else { return }
        self.resource = nil
        do throws(PublishingError) {
            _ = try caller.ask(
                "DELETE", resource, token: token, within: .milliseconds(400), unless: Cancellation())
        } catch {
            // The server detects the end of the stream by a timeout.
        }
    }
}

/// Determines from a peer's reports whether it is alive. This is a pure value: the time is an argument.
///
/// The ICE implementation in GStreamer 1.22 doesn't detect when a peer is gone. A live peer sends reception
/// reports (RFC 3550): browsers and most servers once per second, GStreamer every six or seven seconds.
/// Therefore the timeout is derived from the peer's report interval.
struct PeerConfirmation {
    /// Timeout for a peer with an unknown report interval, and maximum timeout.
    static let longestSilence = Nanoseconds.seconds(20)
    /// Minimum timeout for a peer.
    static let shortestSilence = Nanoseconds.seconds(4)
    /// Interval between checks.
    private static let interval = Nanoseconds.milliseconds(500)
    /// Number of reports needed to determine a peer's report interval.
    private static let enough = 3

    private var looked: ClockTime
    private var last: WebRTCPeer.Report?
    private var changed: ClockTime
    private var longestGap = Nanoseconds.zero
    private var count = 0

    init(since now: ClockTime) { (looked, changed) = (now, now) }

    /// Whether the next check is due.
    func isDue(at now: ClockTime) -> Bool { now - looked >= Self.interval }

    /// Records the latest report.
    mutating func heard(_ report: WebRTCPeer.Report?, at now: ClockTime) {
        looked = now
        guard report != last else { return }
        longestGap = max(longestGap, now - changed)
        (last, changed, count) = (report, now, count + 1)
    }

    /// The peer's timeout: three times its longest report interval so far.
    private var patience: Nanoseconds {
        guard count >= Self.enough else { return Self.longestSilence }
        return min(max(longestGap + longestGap + longestGap, Self.shortestSilence), Self.longestSilence)
    }

    /// Whether the peer is alive.
    func isAlive(at now: ClockTime) -> Bool { now - changed < patience }
}
