import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Format changes of a running camera")
struct FormatOnTrialTests {
    private let first = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30))
    private let other = VideoFormat(
        pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30))

    @Test("reverts to the previous format, once, unless frames arrived in the new one")
    func trial() {
        var format = RequestedFormat(first)
        #expect(format.fallBack() == nil)
        format.request(other)
        #expect(format.wanted == other)
        #expect(format.fallBack() == other)
        #expect(format.wanted == first && format.fallBack() == nil)
        format.request(other)
        format.confirm(other)
        #expect(format.fallBack() == nil && format.wanted == other)
    }

    @Test("does not confirm a format by frames in a substitute format")
    func substitute() {
        var format = RequestedFormat(first)
        format.confirm(other)
        #expect(format.fallBack() == nil && format.wanted == first)
        format.request(other)
        format.confirm(first)
        #expect(format.fallBack() == other && format.wanted == first)
    }
}
