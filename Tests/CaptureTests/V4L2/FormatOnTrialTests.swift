import Media
import Testing

@testable import Capture

@Suite("Format changes of a running camera")
struct FormatOnTrialTests {
    private let first = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30))
    private let other = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30))

    @Test("reverts to the previous format, once, unless frames arrived in the new one")
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

    @Test("does not confirm a format by frames in a substitute format")
    func substitute() {
        var format = FormatOnTrial(first)
        format.delivered(in: other)
        #expect(format.giveUp() == nil && format.wanted == first)
        format.ask(for: other)
        format.delivered(in: first)
        #expect(format.giveUp() == other && format.wanted == first)
    }
}
