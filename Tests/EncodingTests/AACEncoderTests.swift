import Foundation
import MulticamEncoding
import MulticamMedia
import Testing

@Suite("AAC encoder")
struct AACEncoderTests {
    /// A 1 kHz tone whose channels have opposite phases.
    private func tone(_ count: Int, channels: Int, from start: Int = 0) -> [Float] {
        (start..<start + count).flatMap { index in
            (0..<channels).map { channel in
                Float(0.5 * sin(Double(index) * 2 * .pi / 48)) * (channel == 0 ? 1 : -1)
            }
        }
    }

    @Test(
        "packets cover all samples for any slice size, starting at the negative priming", arguments: [1, 2],
        [0, 1, 1024, 10_000, 48_000])
    func packets(channels: Int, count: Int) throws {
        let encoder = try Codecs().makeAudioEncoder(channels: channels, bitrate: 128_000, name: "host")
        #expect(encoder.parameters.timeScale == 48_000 && encoder.parameters.priming == 1024)
        var packets: [EncodedPacket] = []
        var (sent, slice) = (0, 1)
        while sent < count {
            let size = min(slice, count - sent)
            packets += try encoder.encode(tone(size, channels: channels, from: sent))
            sent += size
            slice = slice * 3 % 4001 + 1
        }
        packets += try encoder.finish()
        #expect(packets.count == (count == 0 ? packets.count : (count + 1024 + 1023) / 1024))
        #expect(packets.indices.allSatisfy { packets[$0].presentation == Int64($0 * 1024 - 1024) })
        #expect(packets.allSatisfy { $0.decode == $0.presentation && $0.isKey && $0.bytes.count > 0 })
        if count > 0 { #expect(packets.reduce(0) { $0 + $1.duration } == Int64(count + 1024)) }
    }

    @Test("the setup is an AudioSpecificConfig, and decoding returns the original audio", arguments: [1, 2])
    func decodes(channels: Int) throws {
        let encoder = try Codecs().makeAudioEncoder(channels: channels, bitrate: 160_000, name: "host")
        // According to ISO/IEC 14496-3, 1.6.2.1, AAC-LC is object type 2, and 48 kHz is frequency index 3:
        // 00010 0011 cccc ...
        #expect(encoder.parameters.setup.prefix(2) == [0x11, UInt8(0x80 | channels << 3)])
        let packets = try encoder.encode(tone(24_000, channels: channels)) + encoder.finish()
        // Each packet gets an ADTS header (ISO/IEC 13818-7, 6.2), so that ffmpeg can read the stream without
        // a container.
        let stream = packets.flatMap { adts($0.bytes, channels: channels) }
        let bench = try Workbench()
        let path = try bench.write(stream, "sound.aac")
        let raw = try bench.run("ffmpeg", ["-v", "error", "-i", path, "-f", "f32le", "-"])
        let samples = raw.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let wanted = tone(24_000, channels: channels)
        // Both ends are excluded because an abrupt onset can't be encoded well. The fast search has an error
        // of 0.04 at any bitrate; a shift by one sample would cause 0.065.
        let middle = 4096 * channels..<20_000 * channels
        let played = samples.dropFirst(1024 * channels)
        let worst = middle.map { abs(played[played.startIndex + $0] - wanted[$0]) }.max() ?? 1
        #expect(worst < 0.05)
    }

    private func adts(_ bytes: SharedBytes, channels: Int) -> [UInt8] {
        let length = bytes.count + 7
        return [
            0xFF, 0xF1, 1 << 6 | 3 << 2, UInt8(channels << 6 | length >> 11), UInt8(length >> 3 & 255),
            UInt8(length & 7) << 5 | 0x1F, 0xFC,
        ] + bytes.array
    }

    @Test(
        "unsupported settings are rejected",
        arguments: [(3, 128_000), (0, 128_000), (2, 31_999), (1, 600_000)])
    func refused(channels: Int, bitrate: Int) {
        #expect(throws: EncodingError.self) {
            try Codecs().makeAudioEncoder(channels: channels, bitrate: bitrate, name: "host")
        }
    }
}
