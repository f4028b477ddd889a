import Media
import Testing

@testable import Session

@Suite("The pictures around a still")
struct PictureRingTests {
    private static func picture(atMilliseconds time: Int64, bytes: Int = 100) -> CapturedPicture {
        CapturedPicture(
            pixel: .mjpeg, size: PictureSize(width: 64, height: 48), color: .jpeg,
            capturedAt: ClockTime(nanoseconds: time * 1_000_000), sequence: time,
            memory: SharedBytes(count: bytes),
            isOwned: true)
    }

    @Test("a ring holds the last pictures of its length, and no older ones")
    func length() {
        var ring = PictureRing(length: .milliseconds(100), byteLimit: 1_000_000)
        for time in stride(from: Int64(0), through: 300, by: 33) {
            ring.add(Self.picture(atMilliseconds: time))
        }
        #expect(ring.pictures.map(\.sequence) == [198, 231, 264, 297])
    }

    @Test("a ring has a limit in bytes too, and keeps the newest whatever its size")
    func bytes() {
        var ring = PictureRing(length: .seconds(10), byteLimit: 250)
        for time in [0, 33, 66, 99] as [Int64] { ring.add(Self.picture(atMilliseconds: time)) }
        #expect(ring.pictures.map(\.sequence) == [66, 99])
        ring.add(Self.picture(atMilliseconds: 132, bytes: 1000))
        #expect(ring.pictures.map(\.sequence) == [132])
        ring.add(Self.picture(atMilliseconds: 165))
        #expect(ring.pictures.map(\.sequence) == [165])
    }

    @Test("each picture of a clip has the tick nearest to its capture, and none the tick of another")
    func ticks() {
        let pictures = [0, 34, 66, 101, 200, 201].map { Self.picture(atMilliseconds: $0) }
        #expect(ClipFile.ticks(of: pictures, FrameRate(30)) == [0, 1, 2, 3, 6, 7])
    }
}
