internal import Inputs
internal import Media

/// A stream to a WHIP server (RFC 9725): H.264 as it is recorded or encoded, and the mix in Opus, over WebRTC.
///
/// Candidates are gathered before the offer is sent, so nothing trickles. There is no congestion control: GStreamer 1.22 has none in
/// Debian. Lost packets are sent again when the server asks for them.
package final class WHIPConnection: DestinationConnection {
    package static let content = PublishedContent(video: true, samples: true)

    package private(set) var statistics = ConnectionStatistics()
    private let peer: WebRTCPeer
    private let caller = HTTPCaller()
    private let endpoint: WHIPEndpoint
    private let token: Secret?
    /// What the server has made for this stream, to be deleted at the end; `nil` where it has not told.
    private var resource: WHIPEndpoint?
    private var setup: [UInt8] = []
    private var confirmation: PeerConfirmation

    /// The server may redirect so often; each time it has as long again.
    private static let mostRedirections = 3
    private static let patience = Nanoseconds.seconds(5)

    /// Connects: offers, waits for the answer, and for the connection over UDP.
    ///
    /// - Throws: `PublishingError`.
    package init(_ request: DestinationRequest) throws(PublishingError) {
        endpoint = try WHIPEndpoint(request.address)
        token = request.token
        let place = endpoint.place
        guard let video = request.streams.video, let profile = H264Profile(video.setup) else {
            throw .refused("\(place): there is no H.264 to send; the profile needs a program.")
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
        throw .lost("\(endpoint.place) redirects again and again.")
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
            "\(endpoint.place) cannot be sent B frames, which the program's preset makes: record with `preset: balanced` or `ultrafast`, or "
                + "give the publication an encoder of its own with `video`.")
    }

    /// Looks whether the peer is there, and what it confirms.
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
            throw .lost("\(endpoint.place) has not confirmed anything for some seconds.")
        }
    }

    /// Tells the server that the stream is over, and ends the connection.
    package func close() {
        guard let resource else { return }
        self.resource = nil
        do throws(PublishingError) {
            _ = try caller.ask(
                "DELETE", resource, token: token, within: .milliseconds(400), unless: Cancellation())
        } catch {
            // The server notices by itself that nothing comes any more.
        }
    }
}
