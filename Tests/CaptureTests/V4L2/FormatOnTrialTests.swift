import Media
import Testing

@testable import Capture

@Suite("A format that a running camera is asked for")
struct FormatOnTrialTests {
    private let first = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30))
    private let other = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30))

    @Test("is given up for the one before, once, unless a frame came in it")
    func trial() {
        var format = FormatOnTrial(first)
        #expect(format.giveUp() == nil)
        format.ask(for: other)
        #expect(format.wanted == other)
        #expect(format.giveUp() == other)
        #expect(format.wanted == first && format.giveUp() == nil)
        format.ask(for: other)
        format.delivered(in: other)
        #expect(format.giveUp() == nil && format.wanted == other)
    }

    @Test("is not proven by frames of one that stands in for it")
    func substitute() {
        var format = FormatOnTrial(first)
        format.delivered(in: other)
        #expect(format.giveUp() == nil && format.wanted == first)
        format.ask(for: other)
        format.delivered(in: first)
        #expect(format.giveUp() == other && format.wanted == first)
    }
}
