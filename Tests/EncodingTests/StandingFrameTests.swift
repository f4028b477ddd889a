import Foundation
import MulticamMedia
import Testing

@testable import MulticamEncoding

@Suite("Long runs of repeats")
struct StandingFrameTests {
    private static let size = FrameSize(width: 320, height: 240)

    /// A layer with a different gray for each tick.
    private func layer(_ tick: Int64) -> FrameLayer {
        let memory = SharedBytes(count: Self.size.pixelCount * 2)
        let bytes = memory.start.assumingMemoryBound(to: UInt8.self)
        for index in 0..<memory.count { bytes[index] = index % 2 == 0 ? UInt8(40 + tick % 160) : 128 }
        let frame = CapturedFrame(
            pixel: .yuyv, size: Self.size, color: .bt709Limited, capturedAt: ClockTime(nanoseconds: 0),
            sequence: tick, memory: memory, planes: [FramePlane(offset: 0, stride: Self.size.width * 2)],
            isOwned: true)
        return FrameLayer(frame: frame, LayerShape(PixelRectangle(x: 0, y: 0, width: 320, height: 240)))
    }

    @Test(
        "a run consists of copies of two key frames, shows the last frame at each tick, and the stream continues after it",
        arguments: [VideoEncodingSettings.Preset.balanced, .superfast, .veryfast])
    func run(_ preset: VideoEncodingSettings.Preset) throws {
        let encoder = try Codecs().makeVideoEncoder(
            VideoEncodingSettings(
                size: Self.size, rate: FrameRate(30), preset: preset, quality: 18, color: .bt709Limited),
            name: "program")
        let setup = encoder.parameters.setup
        var packets: [EncodedPacket] = []
        for tick in Int64(0)..<10 { packets += try encoder.encode([layer(tick * 10)], tick: tick).packets }
        let first = try encoder.repeatLast(ticks: 10..<300).packets
        packets += first
        // Repeats that were queued in the meantime reuse the same key frames.
        packets += try encoder.repeatLast(ticks: 300..<320).packets
        for tick in Int64(320)..<325 { packets += try encoder.encode([layer(150)], tick: tick).packets }
        packets += try encoder.repeatLast(ticks: 325..<328).packets
        packets += try encoder.finish()

        #expect(encoder.parameters.setup == setup)
        #expect(packets.map(\.presentation).sorted() == Array(0..<328))
        #expect(zip(packets.dropFirst(), packets).allSatisfy { $0.decode > $1.decode })
        #expect(packets.allSatisfy { $0.decode <= $0.presentation })
        let run = packets.filter { (10..<320).contains($0.presentation) }
        #expect(run.allSatisfy(\.isKey) && Set(run.map { ObjectIdentifier($0.bytes) }).count == 2)

        var stream = setup
        for packet in packets { stream += withExtendedLifetime(packet) { Array(packet.bytes.bytes) } }
        let file = FileManager.default.temporaryDirectory.appending(path: "still-\(UUID().uuidString).h264")
        try Data(stream).write(to: file)
        defer { unlink(file.path) }
        let decoded = try Self.brightness(file.path)
        try #require(decoded.count == 328)
        for tick in 0..<328 {
            let wanted = tick < 10 ? 40 + tick * 10 : tick < 320 ? 130 : 190
            #expect(abs(decoded[tick] - wanted) <= 2, "tick \(tick)")
        }
    }

    @Test("a run before any frame is black")
    func black() throws {
        let encoder = try Codecs().makeVideoEncoder(
            VideoEncodingSettings(size: Self.size, rate: FrameRate(30)), name: "program")
        let packets = try encoder.repeatLast(ticks: 0..<40).packets + encoder.finish()
        #expect(packets.map(\.presentation) == Array(0..<40))
    }

    /// Returns the first luma value of each decoded frame.
    private static func brightness(_ path: String) throws -> [Int] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt",
            "yuv420p", "-vf", "scale=8:8", "-",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return stride(from: 0, to: bytes.count, by: 96).map { Int(bytes[$0 + 27]) }
    }
}
