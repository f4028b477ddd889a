import MulticamMedia
import MulticamStills
import Testing

@testable import MulticamSession

@Suite("Frames around a still")
struct FrameRingTests {
    private static func frame(atMilliseconds time: Int64, bytes: Int = 100) -> CapturedFrame {
        CapturedFrame(
            pixel: .mjpeg, size: FrameSize(width: 64, height: 48), color: .jpeg,
            capturedAt: ClockTime(nanoseconds: time * 1_000_000), sequence: time,
            memory: SharedBytes(count: bytes),
            isOwned: true)
    }

    @Test("a ring contains only the frames within its length")
    func length() {
        var ring = FrameRing(length: .milliseconds(100), byteLimit: 1_000_000)
        for time in stride(from: Int64(0), through: 300, by: 33) {
            ring.add(Self.frame(atMilliseconds: time))
        }
        #expect(ring.frames.map(\.sequence) == [198, 231, 264, 297])
    }

    @Test("a ring also has a byte limit, and always contains the newest frame")
    func bytes() {
        var ring = FrameRing(length: .seconds(10), byteLimit: 250)
        for time in [0, 33, 66, 99] as [Int64] { ring.add(Self.frame(atMilliseconds: time)) }
        #expect(ring.frames.map(\.sequence) == [66, 99])
        ring.add(Self.frame(atMilliseconds: 132, bytes: 1000))
        #expect(ring.frames.map(\.sequence) == [132])
        ring.add(Self.frame(atMilliseconds: 165))
        #expect(ring.frames.map(\.sequence) == [165])
    }

    @Test("each frame of a clip gets a separate tick, the nearest to its capture time")
    func ticks() {
        let frames = [0, 34, 66, 101, 200, 201].map { Self.frame(atMilliseconds: $0) }
        #expect(ClipFile.ticks(of: frames, FrameRate(30)) == [0, 1, 2, 3, 6, 7])
    }

    private static func stream(_ time: Int64, isKey: Bool, bytes: Int = 100) -> CapturedFrame {
        CapturedFrame(
            pixel: .h264, size: FrameSize(width: 64, height: 48), color: .bt709Limited,
            capturedAt: ClockTime(nanoseconds: time * 1_000_000), sequence: time, isKey: isKey,
            memory: SharedBytes(count: bytes), isOwned: true)
    }

    @Test("a ring of H.264 begins with the last key frame before its length, and only with a key frame")
    func groups() {
        var ring = FrameRing(length: .milliseconds(100), byteLimit: 1_000_000)
        ring.add(Self.stream(0, isKey: false))
        #expect(ring.frames.isEmpty)
        for time in stride(from: Int64(0), through: 400, by: 50) {
            ring.add(Self.stream(time, isKey: time % 200 == 0))
        }
        #expect(ring.frames.map(\.sequence) == [200, 250, 300, 350, 400])
        var full = FrameRing(length: .seconds(1), byteLimit: 350)
        for time in [0, 10, 20, 30, 40, 50] as [Int64] {
            full.add(Self.stream(time, isKey: time == 0 || time == 30))
        }
        #expect(full.frames.map(\.sequence) == [30, 40, 50])
        for time in [60, 70] as [Int64] { full.add(Self.stream(time, isKey: false)) }
        #expect(full.frames.isEmpty)
    }

    @Test("a clip's audio is placed by the average of its timestamps, with silence in gaps")
    func sound() throws {
        func slice(_ first: Int64, atMilliseconds time: Double) -> CapturedAudio {
            CapturedAudio(
                format: AudioFormat(rate: 1000, channels: 3),
                capturedAt: ClockTime(nanoseconds: Int64(time * 1e6)),
                firstSample: first, samples: (0..<10).flatMap { [Float(first + $0), 0.5, 0.25] })
        }
        // The third timestamp is off by 4 ms; ten samples are lost after it.
        let slices = [
            slice(0, atMilliseconds: 100), slice(10, atMilliseconds: 110), slice(20, atMilliseconds: 124),
            slice(40, atMilliseconds: 140),
        ]
        let sound = try #require(
            ClipSound(
                role: "m", slices: slices, sourceChannels: [0, 1], offset: .milliseconds(5),
                from: ClockTime(nanoseconds: 95_000_000), length: .milliseconds(60)))
        #expect(sound.format == AudioFormat(rate: 1000, channels: 2))
        let first = stride(from: 0, to: sound.samples.count, by: 2).map { sound.samples[$0] }
        let silence = [Float](repeating: 0, count: 10)
        #expect(first == silence + (0..<30).map(Float.init) + silence + (40..<50).map(Float.init))
    }
}
