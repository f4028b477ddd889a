import CMulticamMedia
import MulticamMedia
import Testing

@testable import MulticamRemoteSources

@Suite("Missing frames in a network stream")
struct FrameContinuityTests {
    private func missingCounts(_ frames: [Int64], interval: Int64 = 40) -> [Int?] {
        var continuity = FrameContinuity(interval: .milliseconds(40))
        return frames.map { continuity.record(.milliseconds($0 * interval), isDamaged: false) }
    }

    @Test("a gap in a regular stream counts as the number of frames that fit into it")
    func gap() {
        let frames = Array(Int64(0)...20) + [24, 25]
        #expect(missingCounts(frames).suffix(2) == [3, 0])
    }

    @Test("a camera that switches to half its rate loses only one frame, at the first gap")
    func slowCamera() {
        let frames = Array(Int64(0)...20) + [22, 24, 26, 28]
        #expect(missingCounts(frames).suffix(4) == [1, 0, 0, 0])
    }

    @Test("damaged frames are dropped and counted with the next intact one")
    func damaged() {
        var continuity = FrameContinuity(interval: .milliseconds(40))
        for frame in Int64(0)..<15 { _ = continuity.record(.milliseconds(frame * 40), isDamaged: false) }
        #expect(continuity.record(.milliseconds(15 * 40), isDamaged: true) == nil)
        #expect(continuity.record(.milliseconds(18 * 40), isDamaged: true) == nil)
        #expect(continuity.record(.milliseconds(19 * 40), isDamaged: false) == 4)
    }

    @Test(
        "when timestamps restart, only dropped frames count as missing"
    )
    func anotherTime() {
        var continuity = FrameContinuity(interval: .milliseconds(40))
        for frame in Int64(0)..<15 { _ = continuity.record(.milliseconds(frame * 40), isDamaged: false) }
        #expect(continuity.record(.milliseconds(15 * 40), isDamaged: true) == nil)
        continuity.interrupt()
        #expect(continuity.record(.milliseconds(5000 + 16 * 40), isDamaged: false) == 1)
        #expect(continuity.record(.milliseconds(5000 + 18 * 40), isDamaged: false) == 1)
        continuity.interrupt()
        #expect(continuity.record(.milliseconds(19 * 40), isDamaged: false) == 0)
        #expect(!continuity.isReordered)
    }

    @Test("reversed timestamps do not count as B-frames, and B-frame pyramids do not count as reversed")
    func reversed() {
        var continuity = FrameContinuity(interval: .milliseconds(40))
        for frame in Int64(0)..<20 { _ = continuity.record(.milliseconds(frame * 40), isDamaged: false) }
        for frame in Int64(1)...10 {
            _ = continuity.record(.milliseconds((20 - frame) * 40), isDamaged: false)
            #expect(!continuity.isReordered)
        }
        #expect(continuity.isReversed)
        var pyramid = FrameContinuity(interval: .milliseconds(40))
        for group in Int64(0)..<4 {
            for frame in [16, 8, 4, 2, 1, 3, 6, 5, 7, 12, 10, 9, 11, 14, 13, 15] as [Int64] {
                _ = pyramid.record(.milliseconds((group * 16 + frame) * 40), isDamaged: false)
                #expect(!pyramid.isReversed)
            }
        }
        #expect(pyramid.isReordered)
    }

    @Test("constant timestamps are detected, but delayed frames are not taken for them")
    func standing() {
        #expect(RateEstimate.isFrozen(stamps: .milliseconds(1), over: .milliseconds(2500)))
        #expect(!RateEstimate.isFrozen(stamps: .seconds(4), over: .milliseconds(2500)))
        #expect(!RateEstimate.isFrozen(stamps: .seconds(1), over: .milliseconds(2500)))
        #expect(!RateEstimate.isFrozen(stamps: .zero, over: .milliseconds(500)))
    }

    @Test("reordered frames are detected; a single one does not indicate B-frames")
    func backwards() {
        var continuity = FrameContinuity(interval: .milliseconds(40))
        _ = continuity.record(.milliseconds(80), isDamaged: false)
        _ = continuity.record(.milliseconds(40), isDamaged: false)
        #expect(!continuity.isReordered)
        for frame in Int64(1)...6 {
            _ = continuity.record(.milliseconds(frame * 80 + 40), isDamaged: false)
            _ = continuity.record(.milliseconds(frame * 80), isDamaged: false)
        }
        #expect(continuity.isReordered)
    }

    @Test("rates are rounded to common camera rates")
    func rates() {
        func stamps(_ interval: Double) -> [Nanoseconds] {
            (0..<20).map { .seconds(rounding: Double($0) * interval) }
        }
        #expect(RateEstimate.rate(ofStamps: stamps(1 / 29.9), guessed: nil) == FrameRate(30))
        #expect(
            RateEstimate.rate(ofStamps: stamps(1001 / 30000), guessed: FrameRate(30000, per: 1001))
                == FrameRate(30000, per: 1001))
        #expect(RateEstimate.rate(ofStamps: stamps(0.08), guessed: FrameRate(25)) == FrameRate(12.5))
        #expect(RateEstimate.rate(ofStamps: [], guessed: FrameRate(50)) == FrameRate(50))
        #expect(RateEstimate.rate(ofStamps: stamps(1e-9), guessed: nil) <= FrameRate(240))
        let arrivals = (0..<30).map { ClockTime(nanoseconds: 1_000_000_000 + Int64($0) * 66_000_000) }
        #expect(RateEstimate.rate(ofArrivals: arrivals) == FrameRate(15))
    }

    @Test("a source that sends more frames than any camera is rejected")
    func flood() throws {
        var flood = FrameRateLimiter()
        let address = try SourceAddress("http://camera/video")
        let now = ClockTime(nanoseconds: 1_000_000_000)
        #expect(throws: SourceError.self) {
            for _ in 0..<2000 { try flood.count(from: address, at: now) }
        }
    }

    @Test("a camera that gives all frames of a group of pictures the same timestamp is detected")
    func repeatedTimestamps() {
        var perGroup = RepeatedTimestamps()
        var occasional = RepeatedTimestamps()
        for frame in Int64(0)..<300 {
            perGroup.record(.milliseconds(frame / 12 * 400))
            occasional.record(.milliseconds((frame % 25 == 0 ? frame + 1 : frame) * 33))
        }
        #expect(perGroup.isFrequent)
        #expect(!occasional.isFrequent)
    }

    @Test(
        "a packet begins a frame if it contains the first slice",
        arguments: [
            (AV_CODEC_ID_H264, [0, 0, 0, 1, 0x67, 0x42, 0, 0, 1, 0x65, 0x88], true),
            (AV_CODEC_ID_H264, [0, 0, 1, 0x41, 0x9a], true),
            (AV_CODEC_ID_H264, [0, 0, 1, 0x41, 0x1a], false),
            (AV_CODEC_ID_H264, [0, 0, 1, 0x67, 0x80], false),
            (AV_CODEC_ID_H264, [0, 0, 1, 0x41], false),
            (AV_CODEC_ID_HEVC, [0, 0, 1, 0x26, 1, 0xaf], true),
            (AV_CODEC_ID_HEVC, [0, 0, 1, 0x02, 1, 0x2f], false),
            (AV_CODEC_ID_HEVC, [0, 0, 1, 0x40, 1, 0x8f], false),
            (AV_CODEC_ID_MPEG4, [], true),
        ] as [(AVCodecID, [UInt8], Bool)])
    func firstSlice(codec: AVCodecID, bytes: [UInt8], begins: Bool) throws {
        var packet: UnsafeMutablePointer<AVPacket>? = av_packet_alloc()
        defer { av_packet_free(&packet) }
        let allocated = try #require(packet)
        try #require(av_new_packet(allocated, Int32(bytes.count)) == 0)
        for (index, byte) in bytes.enumerated() { allocated.pointee.data[index] = byte }
        #expect(PacketFilter.beginsFrame(allocated, of: codec) == begins)
    }
}
