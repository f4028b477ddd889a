import Foundation
import MulticamMedia
import Testing

@testable import MulticamEncoding

@Suite("Preset change within a stream")
struct PresetChangeTests {
    private let size = FrameSize(width: 320, height: 240)

    private func encoder(_ preset: VideoEncodingSettings.Preset) throws -> any VideoEncoding {
        try Codecs().makeVideoEncoder(
            VideoEncodingSettings(
                size: size, rate: FrameRate(30), preset: preset, quality: 23, color: .bt709Limited),
            name: "program")
    }

    /// A layer with moving noise, so that consecutive frames differ.
    private func layer(_ tick: Int64) throws -> FrameLayer {
        let memory = SharedBytes(count: size.pixelCount * 2)
        let bytes = memory.start.assumingMemoryBound(to: UInt8.self)
        for index in 0..<memory.count {
            bytes[index] =
                UInt8(truncatingIfNeeded: (index / 640 * 3 + index % 97 + Int(tick) * 5) & 0x7F) + 64
        }
        let frame = CapturedFrame(
            pixel: .yuyv, size: size, color: .bt601Limited, capturedAt: ClockTime(nanoseconds: 0),
            sequence: tick,
            memory: memory, planes: [FramePlane(offset: 0, stride: size.width * 2)], isOwned: true)
        return FrameLayer(frame: frame, LayerShape(PixelRectangle(x: 0, y: 0, width: 320, height: 240)))
    }

    @Test(
        "after changes in both directions, no tick is missing, times increase, each change starts with a key frame, and one parameter set decodes all frames",
        arguments: [VideoEncodingSettings.Preset.balanced, .superfast, .veryfast])
    func thereAndBack(_ preset: VideoEncodingSettings.Preset) throws {
        let encoder = try encoder(preset)
        let setup = encoder.parameters.setup
        var packets: [EncodedPacket] = []
        for tick in Int64(0)..<90 {
            if tick == 31 { packets += try encoder.changePreset(to: .ultrafast) }
            if tick == 62 { packets += try encoder.changePreset(to: preset) }
            packets += try encoder.encode([try layer(tick)], tick: tick).packets
        }
        packets += try encoder.finish()
        #expect(encoder.parameters.setup == setup)
        #expect(packets.map(\.presentation).sorted() == Array(0..<90))
        #expect(zip(packets.dropFirst(), packets).allSatisfy { $0.decode > $1.decode })
        #expect(packets.allSatisfy { $0.decode <= $0.presentation })
        #expect(Set(packets.filter(\.isKey).map(\.presentation)).isSuperset(of: [0, 31, 62]))

        var stream = setup
        for packet in packets { stream += withExtendedLifetime(packet) { Array(packet.bytes.bytes) } }
        let file = FileManager.default.temporaryDirectory.appending(path: "preset-\(UUID().uuidString).h264")
        try Data(stream).write(to: file)
        defer { unlink(file.path) }
        #expect(try decodedFrames(file.path) == 90)
    }

    @Test(
        "times increase even if the encoder still holds back all frames before the change",
        arguments: 1...5)
    func early(count: Int64) throws {
        let encoder = try encoder(.superfast)
        var packets: [EncodedPacket] = []
        for tick in Int64(0)..<20 {
            if tick == count { packets += try encoder.changePreset(to: .ultrafast) }
            if tick == 2 * count { packets += try encoder.changePreset(to: .superfast) }
            packets += try encoder.encode([try layer(tick)], tick: tick).packets
        }
        packets += try encoder.finish()
        #expect(packets.map(\.presentation).sorted() == Array(0..<20))
        #expect(zip(packets.dropFirst(), packets).allSatisfy { $0.decode > $1.decode })
        #expect(packets.allSatisfy { $0.decode <= $0.presentation })
    }

    @Test("changing to the current preset does nothing")
    func same() throws {
        let encoder = try encoder(.superfast)
        _ = try encoder.encode([try layer(0)], tick: 0)
        #expect(try encoder.changePreset(to: .superfast).isEmpty)
        let rest = try encoder.finish()
        #expect(rest.map(\.presentation) == [0])
    }

    @Test("a preset that needs different parameter sets is rejected, and encoding continues")
    func refusal() throws {
        let encoder = try encoder(.ultrafast)
        var packets = try encoder.encode([try layer(0)], tick: 0).packets
        #expect(throws: EncodingError.self) { try encoder.changePreset(to: .superfast) }
        packets += try encoder.encode([try layer(1)], tick: 1).packets
        packets += try encoder.finish()
        #expect(packets.map(\.presentation).sorted() == [0, 1])
    }

    /// Returns the number of frames that ffmpeg decodes. It stops at the first error.
    private func decodedFrames(_ path: String) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/ffmpeg")
        process.arguments = [
            "-v", "error", "-xerror", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-vf", "scale=2:2",
            "-",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return bytes.count / 4
    }
}
