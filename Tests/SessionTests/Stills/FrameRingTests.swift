import Media
import Testing

@testable import Session

@Suite("The frames around a still")
struct FrameRingTests {
    private static func frame(atMilliseconds time: Int64, bytes: Int = 100) -> CapturedFrame {
        CapturedFrame(
            pixel: .mjpeg, size: FrameSize(width: 64, height: 48), color: .jpeg,
            capturedAt: ClockTime(nanoseconds: time * 1_000_000), sequence: time,
            memory: SharedBytes(count: bytes),
            isOwned: true)
    }

    @Test("a ring holds the last frames of its length, and no older ones")
    func length() {
        var ring = FrameRing(length: .milliseconds(100), byteLimit: 1_000_000)
        for time in stride(from: Int64(0), through: 300, by: 33) {
            ring.add(Self.frame(atMilliseconds: time))
        }
        #expect(ring.frames.map(\.sequence) == [198, 231, 264, 297])
    }

    @Test("a ring has a limit in bytes too, and keeps the newest whatever its size")
    func bytes() {
        var ring = FrameRing(length: .seconds(10), byteLimit: 250)
        for time in [0, 33, 66, 99] as [Int64] { ring.add(Self.frame(atMilliseconds: time)) }
        #expect(ring.frames.map(\.sequence) == [66, 99])
        ring.add(Self.frame(atMilliseconds: 132, bytes: 1000))
        #expect(ring.frames.map(\.sequence) == [132])
        ring.add(Self.frame(atMilliseconds: 165))
        #expect(ring.frames.map(\.sequence) == [165])
    }

    @Test("each frame of a clip has the tick nearest to its capture, and none the tick of another")
    func ticks() {
        let frames = [0, 34, 66, 101, 200, 201].map { Self.frame(atMilliseconds: $0) }
        #expect(ClipFile.ticks(of: frames, FrameRate(30)) == [0, 1, 2, 3, 6, 7])
    }
}
