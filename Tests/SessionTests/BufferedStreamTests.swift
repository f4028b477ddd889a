import MulticamInputs
import MulticamMedia
import Testing

@testable import MulticamSession

@Suite("Stream frames buffered before a recording")
struct BufferedStreamTests {
    private static func frame(_ number: Int64, isKey: Bool) -> CameraInput.Delivery {
        let frame = CapturedFrame(
            pixel: .h264, size: FrameSize(width: 64, height: 48), color: .bt709Limited,
            capturedAt: ClockTime(nanoseconds: number), sequence: number, isKey: isKey,
            memory: SharedBytes(count: 1000), planes: [], isOwned: true)
        return .frame(DatedFrame(frame: frame, time: frame.capturedAt, decoded: nil))
    }

    /// Feeds frames one by one, with key frames at `keys`, and returns the buffered numbers.
    private static func bufferedNumbers(_ numbers: Range<Int64>, keys: Set<Int64>, byteLimit: Int) -> [Int64]
    {
        var kept: [CameraInput.Delivery] = []
        for number in numbers {
            kept = SessionInputs.latest(
                of: kept + [frame(number, isKey: keys.contains(number))], isStream: true,
                byteLimit: byteLimit)
        }
        return kept.compactMap { $0.frame?.sequence }
    }

    @Test("the buffer contains all frames since the last key frame")
    func sinceKey() {
        #expect(Self.bufferedNumbers(0..<25, keys: [0, 10, 20], byteLimit: 1 << 20) == Array(20..<25))
    }

    @Test("a buffer that exceeds its limit is emptied until the next key frame")
    func bounded() {
        #expect(Self.bufferedNumbers(0..<20, keys: [0], byteLimit: 20_000) == Array(0..<20))
        #expect(Self.bufferedNumbers(0..<5000, keys: [0], byteLimit: 20_000).isEmpty)
        #expect(Self.bufferedNumbers(0..<5000, keys: [0, 4990], byteLimit: 20_000) == Array(4990..<5000))
    }

    @Test("the buffer is empty before the first key frame")
    func beforeKey() {
        #expect(Self.bufferedNumbers(0..<5000, keys: [], byteLimit: 1 << 20).isEmpty)
    }

    @Test("the number of buffered losses is limited, too")
    func losses() {
        var kept = [Self.frame(0, isKey: true)]
        for number in Int64(1)..<20_000 {
            kept = SessionInputs.latest(
                of: kept + [.lost(count: 1, cause: .bus, capturedAt: ClockTime(nanoseconds: number))],
                isStream: true)
            #expect(kept.count <= 4096)
        }
    }

    @Test("the remedy for missing key frames of a network camera is a camera setting")
    func lackOfKeyFrames() {
        let network = SessionInputs.lackOfKeyFrames(of: "srt://10.0.0.2:9000", seconds: 12)
        #expect(network.contains("12 s") && network.contains("GOP") && !network.contains("Reconnect"))
        #expect(SessionInputs.lackOfKeyFrames(of: "/dev/video0", seconds: 12).contains("mjpeg"))
    }
}
