import MulticamEncoding
import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("WebRTC peer based on GStreamer", .serialized)
struct WebRTCPeerTests {
    private let setup: [UInt8] = [
        0, 0, 0, 1, 9, 16, 0, 0, 1, 0x67, 0x42, 0xc0, 0x1f, 1, 2, 0, 0, 1, 0x68, 1, 2, 3, 4,
    ]

    @Test("the profile is read from the sequence parameter set, even if other NAL units precede it")
    func profile() throws {
        #expect(H264Profile(setup)?.levelID == "42c01f")
        #expect(H264Profile([0, 0, 1, 0x67, 0x64, 0, 0x28, 1, 2])?.levelID == "640028")
        for none in [[], [0, 0, 1, 0x67], [0, 0, 1, 0x68, 1, 2, 3, 4, 5], [UInt8](repeating: 0, count: 40)] {
            #expect(H264Profile(none) == nil)
        }
    }

    @Test("the profile of multicam's own encoder is read")
    func ownEncoder() throws {
        let encoder = try H264Encoder(
            size: FrameSize(width: 320, height: 180), rate: FrameRate(30), annexB: false)
        #expect(H264Profile(encoder.parameters.setup)?.levelID.hasPrefix("42c0") == true)
    }

    @Test(
        "the offer sends H.264 with the common profile and Opus over one transport, and contains all candidates"
    )
    func offer() throws {
        let peer = try WebRTCPeer(try #require(H264Profile(setup)), channels: 2, place: "a test")
        let text = try peer.offer(until: MonotonicClock().now + .seconds(20), Cancellation())
        let lines = text.split(separator: "\r\n")
        #expect(lines.filter { $0.hasPrefix("m=") }.map { $0.prefix(7) } == ["m=video", "m=audio"])
        #expect(lines.count { $0 == "a=sendonly" } == 2)
        #expect(
            text.contains("profile-level-id=42e01f;level-asymmetry-allowed=1")
                && text.lowercased().contains("opus/48000"))
        #expect(
            text.contains("a=group:BUNDLE") && text.contains("a=candidate:")
                && text.contains("a=setup:actpass"))
    }

    @Test("an answer that does not match the offer causes an error sentence and no crash")
    func misfit() throws {
        let peer = try WebRTCPeer(try #require(H264Profile(setup)), channels: 1, place: "a test")
        let end = MonotonicClock().now + .seconds(20)
        _ = try peer.offer(until: end, Cancellation())
        let answer = try SessionDescription(
            Array(
                "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=ice-ufrag:x\r\na=ice-pwd:y\r\na=fingerprint:z\r\nm=audio 9 UDP/TLS/RTP/SAVPF 97\r\n"
                    .utf8), from: "a test")
        let error = #expect(throws: PublishingError.self) {
            try peer.accept(answer, until: MonotonicClock().now + .seconds(2), Cancellation())
        }
        #expect(error?.kind == .lost && error?.description.hasPrefix("a test") == true)
    }

    @Test("canceling ends a connection attempt immediately; frames without a peer are dropped")
    func canceled() throws {
        let peer = try WebRTCPeer(try #require(H264Profile(setup)), channels: 2, place: "a test")
        let cancellation = Cancellation()
        cancellation.cancel()
        let error = #expect(throws: PublishingError.self) {
            try peer.offer(until: MonotonicClock().now + .seconds(60), cancellation)
        }
        #expect(error?.kind == .lost)
        let now = MonotonicClock().now
        for index in 0..<100 as Range<Int64> {
            peer.sendVideo(SharedBytes(count: 100_000), after: setup, at: now + .milliseconds(33 * index))
            peer.sendAudio(
                [Float](repeating: 0, count: 1920), channels: 2, at: now + .milliseconds(20 * index))
        }
        #expect(peer.report == nil)
    }

    private func at(_ milliseconds: Int64) -> ClockTime { ClockTime(nanoseconds: milliseconds * 1_000_000) }

    /// Returns a peer that has sent five reports at the given interval in milliseconds.
    private func reporting(each interval: Int64) -> PeerConfirmation {
        var confirmation = PeerConfirmation(since: at(0))
        for number in 1...5 as ClosedRange<Int64> {
            confirmation.record(
                WebRTCPeer.Report(highest: UInt32(number), lost: 0, roundTrip: nil), at: at(number * interval)
            )
        }
        return confirmation
    }

    @Test(
        "a peer times out after three times its longest report interval, but at least 4 s and at most 20 s"
    )
    func confirmation() {
        #expect(reporting(each: 1_000).isAlive(at: at(8_999)))
        #expect(!reporting(each: 1_000).isAlive(at: at(9_000)))
        #expect(reporting(each: 3_000).isAlive(at: at(23_999)))
        #expect(!reporting(each: 3_000).isAlive(at: at(24_000)))
        #expect(reporting(each: 7_000).isAlive(at: at(54_999)))
        #expect(!reporting(each: 7_000).isAlive(at: at(55_000)))
    }

    @Test("a repeated report does not count; a peer that never reports times out after the maximum")
    func repeated() {
        var confirmation = PeerConfirmation(since: at(0))
        #expect(!confirmation.isDue(at: at(499)) && confirmation.isDue(at: at(500)))
        confirmation.record(nil, at: at(500))
        #expect(!confirmation.isDue(at: at(900)))
        #expect(confirmation.isAlive(at: at(19_999)) && !confirmation.isAlive(at: at(20_000)))
        var reporting = reporting(each: 1_000)
        reporting.record(WebRTCPeer.Report(highest: 5, lost: 0, roundTrip: nil), at: at(8_500))
        #expect(!reporting.isAlive(at: at(9_000)))
        reporting.record(WebRTCPeer.Report(highest: 6, lost: 1, roundTrip: nil), at: at(9_500))
        #expect(reporting.isAlive(at: at(13_000)))
    }
}
