import MulticamMedia
import Testing

@testable import MulticamControlRoom

@Suite("Messages from phones")
struct PhoneMessageTests {
    static func offer(
        name: String = "anna", codec: String = "h264", size: (Int, Int) = (640, 360), rate: String = "30",
        audio: String = #"{"rate":48000,"channels":1}"#, dated: String = "capture"
    ) -> String {
        #"{"type":"offer","name":"\#(name)","key":"0123456789abcdef","dated":"\#(dated)","audio":\#(audio),"#
            + #""video":{"codec":"\#(codec)","width":\#(size.0),"height":\#(size.1),"rate":\#(rate),"matrix":"bt709"}}"#
    }

    /// One parameter set of each type, as at the start of a key frame.
    static let sets: [UInt8] = [0, 0, 0, 1, 0x67, 0x42, 0xE0, 0x1F, 0x8C, 0, 0, 0, 1, 0x68, 0xCE, 0x3C]

    static func message(
        _ kind: UInt8, key: Bool = true, number: Int64, microseconds: Int64, _ content: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = [kind, key ? 1 : 0, 0, 0]
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: microseconds.littleEndian) { bytes += $0 }
        return bytes + content
    }

    private static func media(_ bytes: [UInt8]) -> PhoneMedia? { bytes.withUnsafeBytes { PhoneMedia($0) } }

    @Test("an offer specifies a device and its media")
    func offers() throws {
        let offer = try PhoneOffer(Self.offer())
        #expect(offer.selector == "phone:anna")
        #expect(offer.origin(of: .h264) == .mapped && offer.origin(of: .pcm) == .arrival)
        #expect(
            offer.format
                == VideoFormat(pixel: .h264, size: FrameSize(width: 640, height: 360), rate: FrameRate(30)))
        #expect(offer.color == .bt709Limited)
        #expect(offer.audio == AudioFormat(rate: 48_000, channels: 1))
        let silent = try PhoneOffer(Self.offer(codec: "jpeg", audio: "null", dated: "arrival"))
        #expect(silent.audio == nil && silent.color == .jpeg && silent.origin(of: .jpeg) == .arrival)
    }

    @Test(
        "an invalid offer is rejected with an explanation",
        arguments: [
            offer(name: ""), offer(name: "a b"), offer(name: "../x"), offer(name: "-x"),
            offer(name: String(repeating: "a", count: 33)), offer(codec: "vp8"), offer(size: (0, 360)),
            offer(size: (5000, 360)), offer(size: (641, 360)), offer(size: (Int.max, 2)), offer(rate: "0"),
            offer(rate: "1e300"), offer(rate: "-5"), offer(audio: #"{"rate":1,"channels":1}"#),
            offer(audio: #"{"rate":48000,"channels":9}"#), "{}", "[]", "", #"{"type":"offer"}"#,
        ])
    func refused(text: String) {
        let error = #expect(throws: PhoneOffer.Refusal.self) { try PhoneOffer(text) }
        #expect(error?.sentence.hasSuffix(".") == true)
    }

    @Test("frames and audio are decoded unchanged")
    func frames() throws {
        let bytes = Self.message(2, key: false, number: 7, microseconds: 1_234_567, [0, 0, 0, 1, 0x41, 9])
        let frame = try #require(Self.media(bytes))
        #expect(
            frame.kind == .h264 && !frame.isKey && frame.number == 7 && frame.time == .microseconds(1_234_567)
        )
        #expect(Array(frame.bytes.bytes) == [0, 0, 0, 1, 0x41, 9])
        let jpeg = try #require(
            Self.media(Self.message(1, key: false, number: 0, microseconds: 0, [0xFF, 0xD8, 0xFF, 1])))
        #expect(jpeg.isKey, "every JPEG can be decoded alone")
        #expect(Self.media(Self.message(3, number: 960, microseconds: 5, [1, 2, 3, 4]))?.kind == .pcm)
    }

    @Test(
        "invalid frames and audio are rejected",
        arguments: [
            [], [2], message(2, number: 1, microseconds: 1, []), message(0, number: 1, microseconds: 1, [1]),
            message(9, number: 1, microseconds: 1, [1]), message(2, number: -1, microseconds: 1, [0, 0, 1]),
            message(2, number: .max, microseconds: 1, [0, 0, 1]),
            message(2, number: 1, microseconds: .min, [0, 0, 1]),
            message(2, number: 1, microseconds: .max, [0, 0, 1]),
            message(2, number: 1, microseconds: 1, [1, 2, 3]),
            message(1, number: 1, microseconds: 1, [0, 0, 1]),
            message(3, number: 1, microseconds: 1, [1, 2, 3]),
            message(3, number: 1, microseconds: 1, Array(repeating: 0, count: 400_000)),
            [2, 1, 1, 0] + Array(repeating: 0, count: 16) + [0, 0, 1],
        ] as [[UInt8]])
    func rubbish(bytes: [UInt8]) {
        #expect(Self.media(bytes) == nil)
    }

    /// A connection to a phone with a clock that counts from 0 at `start`, and the messages sent to it.
    private final class Peer {
        var sentMessages: [String] = []
        var isDisconnected = false
        let start = ClockTime(nanoseconds: 5_000_000_000_000)
        var now: ClockTime
        private(set) lazy var link = PhoneConnection(
            PhoneConnection.Transport(
                send: { [unowned self] in sentMessages.append($0) },
                close: { [unowned self] in isDisconnected = true },
                disconnect: { [unowned self] in isDisconnected = true }, endIfStalled: { _ in }), at: start)

        init() { now = start }

        func answerPings() {
            for id in 1...8 {
                now = now + .milliseconds(150)
                link.queryClock(at: now)
                let microseconds = (now - start).count / 1000
                _ = link.handle(text: #"{"type":"pong","id":\#(id),"at_us":\#(microseconds)}"#, at: now)
            }
        }
    }

    @Test(
        "frames are accepted after clock synchronization and admission, with timestamps on the session clock"
    )
    func dated() throws {
        let peer = Peer()
        let bytes = Self.message(2, number: 1, microseconds: 1_000_000, Self.sets + [0, 0, 1, 0x65])
        guard case .offer = peer.link.handle(text: Self.offer(), at: peer.now) else {
            Issue.record("the offer was not taken")
            return
        }
        if case .media = bytes.withUnsafeBytes({ peer.link.handle($0, at: peer.now) }) {
            Issue.record("taken")
        }
        peer.link.admit()
        #expect(!peer.sentMessages.contains { $0.contains("welcome") })
        peer.answerPings()
        #expect(peer.sentMessages.count { $0.contains("welcome") } == 1)
        guard case .media(let media) = bytes.withUnsafeBytes({ peer.link.handle($0, at: peer.now) }) else {
            Issue.record("the frame was not taken")
            return
        }
        #expect(media.time == peer.start + .seconds(1))
        #expect(media.error >= .milliseconds(10) && media.error < .milliseconds(11))
        let samples = Self.message(3, number: 0, microseconds: 1_000_000, [1, 2])
        guard case .media(let audio) = samples.withUnsafeBytes({ peer.link.handle($0, at: peer.now) }) else {
            Issue.record("the audio was not taken")
            return
        }
        #expect(audio.error >= .milliseconds(200), "no browser tells when audio was captured")
    }

    @Test(
        "an H.264 key frame without both parameter sets ends the connection with an explanation",
        arguments: [
            [0, 0, 1, 0x65, 9], Array(sets.prefix(9)) + [0, 0, 1, 0x65],
            Array(sets.suffix(7)) + [0, 0, 1, 0x65],
            [0, 0, 0, 1, 0x65] + Array(repeating: 7, count: 5000) + sets,
        ] as [[UInt8]])
    func withoutParameterSets(content: [UInt8]) {
        let peer = Peer()
        _ = peer.link.handle(text: Self.offer(), at: peer.now)
        peer.link.admit()
        peer.answerPings()
        let delta = Self.message(2, key: false, number: 0, microseconds: 1000, content)
        if case .media = delta.withUnsafeBytes({ peer.link.handle($0, at: peer.now) }) {
        } else {
            Issue.record("a frame that is no key frame needs none")
        }
        let key = Self.message(2, number: 1, microseconds: 1000, content)
        if case .media = key.withUnsafeBytes({ peer.link.handle($0, at: peer.now) }) { Issue.record("taken") }
        #expect(peer.isDisconnected && peer.sentMessages.last?.contains("without parameter sets") == true)
    }

    @Test("a phone can make only one offer, and report a fault")
    func once() {
        let peer = Peer()
        guard case .offer = peer.link.handle(text: Self.offer(), at: peer.now) else {
            Issue.record("the offer was not taken")
            return
        }
        if case .protocolViolation = peer.link.handle(text: Self.offer(name: "ben"), at: peer.now) {
        } else {
            Issue.record("a second offer was taken")
        }
        #expect(peer.link.offer?.name == "anna")
        if case .fault("no encoder?") = peer.link.handle(
            text: #"{"type":"fault","text":"no encoder\u001b"}"#, at: peer.now)
        {
        } else {
            Issue.record("the fault was not understood")
        }
    }

    @Test("a phone that floods or sends invalid messages is disconnected, and a silent one is detected")
    func bounds() {
        let peer = Peer()
        var refusals = 0
        for _ in 0..<2000 {
            if case .protocolViolation = peer.link.handle(text: #"{"type":"later"}"#, at: peer.now) {
                refusals += 1
            }
        }
        #expect(refusals == 800)
        if case .protocolViolation = Peer().link.handle(text: "nonsense", at: peer.now) {
        } else {
            Issue.record("taken")
        }
        let long = #"{"type":"later","text":"\#(String(repeating: "a", count: 1 << 14))"}"#
        if case .protocolViolation = Peer().link.handle(text: long, at: peer.now) {
        } else {
            Issue.record("taken")
        }
        if case .protocolViolation = [1, 2, 3].withUnsafeBytes({ Peer().link.handle($0, at: peer.now) }) {
        } else {
            Issue.record("taken")
        }
        #expect(!peer.link.isSilent(at: peer.now + .seconds(3)))
        #expect(peer.link.isSilent(at: peer.now + .milliseconds(3001)))
    }

    @Test("unanswered clock queries are discarded, and unexpected answers are ignored")
    func questions() {
        let peer = Peer()
        for _ in 0..<100 {
            peer.now = peer.now + .seconds(1)
            peer.link.queryClock(at: peer.now)
        }
        #expect(peer.sentMessages.count == 100)
        // The clock is queried at a higher rate until it is known.
        for _ in 0..<20 {
            peer.now = peer.now + .milliseconds(100)
            peer.link.queryClock(at: peer.now)
        }
        #expect(peer.sentMessages.count == 120)
        for id in [-1, 0, 1, 50, 1000] {
            if case .protocolViolation = peer.link.handle(
                text: #"{"type":"pong","id":\#(id),"at_us":5}"#, at: peer.now)
            {
                Issue.record("cut off")
            }
        }
        #expect(peer.link.error(at: peer.now) == nil)
    }
}
