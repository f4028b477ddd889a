import MulticamEncoding
import MulticamMedia
import Testing

@Suite("H.264 from cameras")
struct H264Tests {
    private let size = FrameSize(width: 64, height: 48)

    private func frame(_ tick: Int) -> CapturedFrame {
        TestFrames.raw(.i420, 64, 48, color: .bt709Limited) { x, y in
            [16 + (x + y + tick * 9) % 200, 100, 140]
        }
    }

    private func unit(_ packet: EncodedPacket, _ tick: Int) -> CapturedFrame {
        CapturedFrame(
            pixel: .h264, size: size, color: .bt709Limited,
            capturedAt: ClockTime(nanoseconds: Int64(tick) * 33_333_333),
            sequence: Int64(tick + 100), isKey: packet.isKey, memory: packet.bytes)
    }

    @Test("each frame leaves encoder and decoder immediately, with its own time and the same picture")
    func roundTrip() throws {
        let encoder = try H264Encoder(size: size, rate: FrameRate(10), quality: 10)
        let decoder = try Codecs().makeVideoDecoder(name: "desk")
        for tick in 0..<25 {
            let original = frame(tick)
            let packets = try encoder.encode(
                i420: original.memory, planes: original.planes, tick: Int64(tick))
            try #require(packets.count == 1)
            #expect(packets[0].isKey == (tick % 10 == 0) && packets[0].presentation == Int64(tick))
            let decoded = try decoder.decode(unit(packets[0], tick)).ready
            try #require(decoded.count == 1)
            #expect(decoded[0].sequence == Int64(tick + 100) && decoded[0].isKey == packets[0].isKey)
            #expect(decoded[0].capturedAt == ClockTime(nanoseconds: Int64(tick) * 33_333_333))
            #expect(decoded[0].color == .bt709Limited && decoded[0].pixel == .i420 && decoded[0].size == size)
            for (x, y) in [(0, 0), (63, 47), (31, 20)] {
                let wanted = original.code(0, x, y)
                let got = decoded[0].code(0, x, y)
                #expect(abs(wanted - got) <= 12)
            }
            #expect(
                abs(decoded[0].code(1, 0, 0) - 100) <= 3 && abs(decoded[0].code(2, 5, 0) - 140) <= 3)
        }
    }

    @Test("parameter sets are in the stream only if requested", arguments: [true, false])
    func parameterSets(annexB: Bool) throws {
        let encoder = try H264Encoder(size: size, rate: FrameRate(30), annexB: annexB)
        let packets = try encoder.encode(i420: frame(0).memory, planes: frame(0).planes, tick: 0)
        let bytes = packets.flatMap { $0.bytes.array }
        // A parameter set has NAL unit type 7 after a start code (ITU-T H.264, 7.4.1 and annex B).
        let hasSets = bytes.indices.dropFirst(3).contains {
            bytes[$0 - 3..<$0] == [0, 0, 1] && bytes[$0] & 31 == 7
        }
        #expect(hasSets == annexB)
        #expect(encoder.parameters.setup.isEmpty == annexB)
    }

    @Test("decoded frames outlive their decoder")
    func lentMemory() throws {
        let encoder = try H264Encoder(size: size, rate: FrameRate(10), quality: 10)
        var decoder: (any VideoDecoding)? = try Codecs().makeVideoDecoder(name: "desk")
        var kept: [CapturedFrame] = []
        for tick in 0..<12 {
            let original = frame(tick)
            let packets = try encoder.encode(
                i420: original.memory, planes: original.planes, tick: Int64(tick))
            kept += try decoder?.decode(unit(packets[0], tick)).ready ?? []
        }
        decoder = nil
        let wanted = (0..<12).map { 16 + ($0 * 9) % 200 }
        #expect(zip(kept, wanted).allSatisfy { abs($0.code(0, 0, 0) - $1) <= 12 } && kept.count == 12)
    }

    @Test("garbage is reported as damaged, and the next key frame is decoded")
    func rubbish() throws {
        let encoder = try H264Encoder(size: size, rate: FrameRate(10), quality: 10)
        let decoder = try Codecs().makeVideoDecoder(name: "desk")
        let rubbish = CapturedFrame(
            pixel: .h264, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: 0), sequence: 0,
            memory: SharedBytes([0, 0, 0, 1, 0x65, 1, 2, 3, 4, 5]))
        let decoded = try decoder.decode(rubbish)
        #expect(decoded.isDamaged && decoded.ready.isEmpty)
        let original = frame(0)
        let packets = try encoder.encode(i420: original.memory, planes: original.planes, tick: 0)
        #expect(try decoder.decode(unit(packets[0], 0)).ready.count == 1)
        #expect(throws: EncodingError.self) { try decoder.decode(original) }
    }

    /// 25 access units with key frames at 0, 10 and 20, and the undamaged picture of each.
    private func stream() throws -> (units: [CapturedFrame], shown: [[UInt8]]) {
        let encoder = try H264Encoder(size: size, rate: FrameRate(10), quality: 10)
        let decoder = try Codecs().makeVideoDecoder(name: "desk")
        var units: [CapturedFrame] = []
        var shown: [[UInt8]] = []
        for tick in 0..<25 {
            let original = TestFrames.raw(.i420, 64, 48, color: .bt709Limited) { x, y in
                [16 + (x * x + y * tick * 5 + x * y * 3) % 200, 100 + (x + tick) % 50, 140]
            }
            let packets = try encoder.encode(
                i420: original.memory, planes: original.planes, tick: Int64(tick))
            units.append(unit(packets[0], tick))
            shown += try decoder.decode(unit(packets[0], tick)).ready.map(pixels)
        }
        return (units, shown)
    }

    private func pixels(_ frame: CapturedFrame) -> [UInt8] {
        (0..<48).flatMap { y in (0..<64).map { x in UInt8(frame.code(0, x, y)) } }
    }

    private func replacing(_ unit: CapturedFrame, with bytes: [UInt8]) -> CapturedFrame {
        CapturedFrame(
            pixel: .h264, size: size, color: unit.color, capturedAt: unit.capturedAt, sequence: unit.sequence,
            isKey: unit.isKey, memory: SharedBytes(bytes))
    }

    @Test(
        "after a damaged access unit, no frame is shown until the next key frame, and shown frames are complete",
        arguments: ["cut", "zeros", "rubbish", "lost"], [0, 4, 10])
    func damaged(kind: String, index: Int) throws {
        let (units, wanted) = try stream()
        let nextKey = (index / 10 + 1) * 10
        let count = units[index].memory.count
        var (tries, unnoticed) = (0, 0)
        for offset in stride(from: count / 4, to: count - 40, by: max(1, count / 23)) {
            var bytes = units[index].memory.array
            switch kind {
            case "cut": bytes.removeSubrange(offset...)
            case "zeros": for position in offset..<offset + 32 { bytes[position] = 0 }
            case "lost": bytes.removeSubrange(offset..<offset + 32)
            default: for position in offset..<offset + 32 { bytes[position] = UInt8(position * 151 % 251) }
            }
            let decoder = try Codecs().makeVideoDecoder(name: "desk")
            let decoded = try units.indices.map { tick in
                try decoder.decode(tick == index ? replacing(units[tick], with: bytes) : units[tick])
            }
            tries += 1
            if !decoded[index].isDamaged { unnoticed += 1 }
            for tick in decoded.indices {
                let isAffected = tick >= index && tick < nextKey
                if isAffected && !decoded[index].isDamaged { continue }
                #expect(decoded[tick].isDamaged == isAffected, "\(offset), \(tick)")
                let isRight = decoded[tick].ready.map(pixels) == (isAffected ? [] : [wanted[tick]])
                #expect(isRight, "\(offset), \(tick)")
            }
        }
        // Entropy coding has no checksum, so some garbage decodes as a valid frame. Missing data is always
        // detected.
        #expect(tries > 10 && unnoticed <= (kind == "cut" || kind == "zeros" ? 0 : tries / 3))
    }

    @Test("after a missing access unit, no frame is shown until the next key frame")
    func missing() throws {
        let (units, wanted) = try stream()
        let decoder = try Codecs().makeVideoDecoder(name: "desk")
        for (tick, unit) in units.enumerated() where tick != 4 {
            let decoded = try decoder.decode(unit)
            #expect(decoded.isDamaged == (5..<10).contains(tick))
            #expect(decoded.ready.map(pixels) == ((5..<10).contains(tick) ? [] : [wanted[tick]]))
        }
    }
}
