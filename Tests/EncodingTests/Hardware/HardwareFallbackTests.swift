import Foundation
import MulticamMedia
import Testing

@testable import MulticamEncoding

@Suite("Hardware encoding with fallback")
struct HardwareFallbackTests {
    private static let size = FrameSize(width: 320, height: 240)

    private func encoder(
        _ fault: FakeHardwareEncoder.Fault, isRequired: Bool = false, patience: Nanoseconds = .seconds(60)
    ) throws(EncodingError) -> ComposedVideoEncoder {
        try ComposedVideoEncoder(
            VideoEncodingSettings(
                size: Self.size, rate: FrameRate(30), color: .bt709Limited,
                hardware: FakeHardwareEncoder.encoder,
                isHardwareRequired: isRequired),
            name: "program", open: FakeHardwareEncoder.opening(fault), frameTimeout: patience)
    }

    /// Each frame is a solid gray, which differs for each of 40 ticks.
    private static func grey(_ tick: Int64) -> UInt8 { UInt8(30 + tick % 40 * 5) }

    private func layer(_ tick: Int64) -> FrameLayer {
        let (planes, byteCount) = FramePlane.packed(.i420, Self.size)
        let memory = SharedBytes(count: byteCount)
        Planes(i420: memory, size: Self.size).fill(YCbCr(y: Self.grey(tick), cb: 128, cr: 128))
        return FrameLayer(
            frame: CapturedFrame(
                pixel: .i420, size: Self.size, color: .bt709Limited, capturedAt: ClockTime(nanoseconds: 0),
                sequence: tick, memory: memory, planes: planes, isOwned: true),
            LayerShape(PixelRectangle(x: 0, y: 0, width: Self.size.width, height: Self.size.height)))
    }

    private func record(
        _ encoder: ComposedVideoEncoder, ticks: Range<Int64>, keyAt: Int64? = nil
    ) throws -> [EncodedPacket] {
        var packets: [EncodedPacket] = []
        for tick in ticks {
            if tick == keyAt { encoder.requestKeyFrame() }
            packets += try encoder.encode([layer(tick)], tick: tick).packets
        }
        return packets + (try encoder.finish())
    }

    /// Returns the mean luma of each frame, decoded by a player with the file's parameter sets.
    private func decoded(_ packets: [EncodedPacket], _ setup: [UInt8]) throws -> [Int64: Double] {
        let reading = try EncodedStreamDecoder(setup: setup, subject: "test")
        var lumas: [Int64: Double] = [:]
        for packet in packets + [nil] {
            try reading.decode(packet) { frame in
                let row = UnsafeBufferPointer(
                    start: frame.planes.y + 120 * frame.planes.yStride, count: Self.size.width)
                lumas[frame.presentation] = row.reduce(0) { $0 + Double($1) } / Double(Self.size.width)
            }
        }
        return lumas
    }

    private func expectWhole(_ packets: [EncodedPacket], ticks: Range<Int64>) {
        #expect(packets.map(\.presentation) == Array(ticks))
        #expect(packets.map(\.decode) == packets.map(\.presentation))
        #expect(packets.first?.isKey == true)
    }

    @Test("hardware keeps every tick in order, with a key frame at each requested tick")
    func whole() throws {
        let encoder = try encoder(.none)
        #expect(encoder.hardware == FakeHardwareEncoder.encoder)
        let packets = try record(encoder, ticks: 0..<90, keyAt: 33)
        expectWhole(packets, ticks: 0..<90)
        #expect(packets[33].isKey)
        #expect(encoder.dequeueFallback() == nil)
        let lumas = try decoded(packets, encoder.parameters.setup)
        for tick in Int64(0)..<90 {
            #expect(abs(try #require(lumas[tick]) - Double(Self.grey(tick))) < 4)
        }
    }

    @Test(
        "if hardware fails during a stream, x264 continues it: every tick is present, and lost frames are reported"
    )
    func failsInTheMiddle() throws {
        let encoder = try encoder(.fails(atFrame: 60))
        let packets = try record(encoder, ticks: 0..<120)
        expectWhole(packets, ticks: 0..<120)
        #expect(encoder.hardware == nil)
        let fallback = try #require(encoder.dequeueFallback())
        #expect(encoder.dequeueFallback() == nil)
        #expect(fallback.from == FakeHardwareEncoder.encoder)
        #expect(fallback.reason.contains("device lost"))
        let first = try #require(fallback.tick)
        #expect(packets[Int(first)].isKey)
        // The error is reported with the next frame, and only that frame is still available.
        #expect(fallback.lostFrames == 61 - Int(first))
        let lumas = try decoded(packets, encoder.parameters.setup)
        for tick in Int64(0)..<120 {
            let shown = tick < first || tick > 61 ? tick : 61
            #expect(abs(try #require(lumas[tick]) - Double(Self.grey(shown))) < 4, "tick \(tick)")
        }
    }

    @Test("ticks before the fallback decode correctly after a seek back")
    func seekingBack() throws {
        let encoder = try encoder(.fails(atFrame: 60))
        let packets = try record(encoder, ticks: 0..<120)
        let first = try #require(encoder.dequeueFallback()?.tick)
        let reordered = packets[Int(first)...] + packets[..<Int(first)]
        let times = try decoded(Array(reordered), encoder.parameters.setup)
        for tick in Int64(0)..<first {
            #expect(abs(try #require(times[tick]) - Double(Self.grey(tick))) < 4)
        }
    }

    @Test("hardware that hangs is abandoned, and x264 continues")
    func hangs() throws {
        let gate = FakeHardwareEncoder.Gate(atFrame: 20)
        defer { gate.open() }
        let encoder = try encoder(.hangs(gate), patience: .milliseconds(500))
        let packets = try record(encoder, ticks: 0..<40)
        expectWhole(packets, ticks: 0..<40)
        #expect(try #require(encoder.dequeueFallback()).reason.contains("did not respond within 0.5 s"))
    }

    @Test("a failure at the last frame loses no earlier frames")
    func failsAtTheEnd() throws {
        // The call after the last frame flushes the encoder.
        let encoder = try encoder(.fails(atFrame: 30))
        let packets = try record(encoder, ticks: 0..<30)
        expectWhole(packets, ticks: 0..<30)
        #expect(encoder.dequeueFallback() != nil)
    }

    @Test(
        "if hardware can't be opened, x264 encodes from the first frame with the profile's preset",
        arguments: [FakeHardwareEncoder.Fault.refusesToOpen, .refusesSecond])
    func refusesAtStart(_ fault: FakeHardwareEncoder.Fault) throws {
        let encoder = try encoder(fault)
        #expect(encoder.hardware == nil)
        let fallback = try #require(encoder.dequeueFallback())
        #expect(fallback.tick == nil && fallback.lostFrames == 0)
        #expect(fallback.reason.contains("no more sessions"))
        let plain = try ComposedVideoEncoder(
            VideoEncodingSettings(size: Self.size, rate: FrameRate(30), color: .bt709Limited),
            name: "program")
        #expect(encoder.parameters.setup == plain.parameters.setup)
        #expect(try record(encoder, ticks: 0..<30).map(\.presentation).sorted() == Array(0..<30))
    }

    @Test("if hardware can't be opened, a profile that requires it fails with an error")
    func demanded() throws {
        #expect(throws: EncodingError.self) { try encoder(.refusesToOpen, isRequired: true) }
    }

    @Test(
        "the stream has color tags, from the encoder or from multicam",
        arguments: [FakeHardwareEncoder.Fault.none, .noColorTags])
    func colors(_ fault: FakeHardwareEncoder.Fault) throws {
        let encoder = try encoder(fault)
        let packets = try record(encoder, ticks: 0..<10)
        let reading = try EncodedStreamDecoder(setup: encoder.parameters.setup, subject: "test")
        var colors: [ColorDescription?] = []
        for packet in packets + [nil] { try reading.decode(packet) { colors.append($0.color) } }
        #expect(colors == Array(repeating: .bt709Limited, count: 10))
    }
}
