import MulticamMedia
import Testing

@testable import MulticamRemoteSources

@Suite("Timing and placement of a screen's frames")
struct ScreenPaceTests {
    @Test("frames are due at the exact rate, without drift")
    func even() {
        let begin = ClockTime(nanoseconds: 5_000_000_000)
        var pace = ScreenPace(FrameRate(30000, per: 1001), from: begin)
        for _ in 0..<30000 { #expect(pace.advance(at: pace.due) == 0) }
        #expect(pace.due == begin + .seconds(1001))
    }

    @Test(
        "a delay of an interval or more skips the frames that are overdue, and returns their number",
        arguments: [(99, 0), (199, 0), (200, 1), (260, 1), (300, 2), (1099, 9)])
    func late(milliseconds: Int64, missing: Int) {
        let begin = ClockTime(nanoseconds: 0)
        var pace = ScreenPace(FrameRate(10), from: begin)
        #expect(pace.advance(at: begin + .milliseconds(milliseconds)) == missing)
        #expect(pace.due == begin + .milliseconds(100 * Int64(missing + 1)))
    }

    @Test("a screen of the frame's size fills the frame, even if the screen has an odd side")
    func whole() {
        let frame = FrameSize(width: 640, height: 360)
        let everything = PixelRectangle(x: 0, y: 0, width: 640, height: 360)
        #expect(ScreenFit.place(of: frame, in: frame) == everything)
        #expect(ScreenFit.place(of: FrameSize(width: 641, height: 361), in: frame) == everything)
    }

    @Test("a screen of another size keeps its aspect ratio and is centered")
    func shape() {
        let frame = FrameSize(width: 640, height: 360)
        #expect(
            ScreenFit.place(of: FrameSize(width: 800, height: 800), in: frame)
                == PixelRectangle(x: 140, y: 0, width: 360, height: 360))
        #expect(
            ScreenFit.place(of: FrameSize(width: 320, height: 90), in: frame)
                == PixelRectangle(x: 0, y: 90, width: 640, height: 180))
        #expect(
            ScreenFit.place(of: FrameSize(width: 1, height: 16384), in: frame)
                == PixelRectangle(x: 319, y: 0, width: 1, height: 360))
    }

    @Test("available sizes begin with the screen's size, decrease, and have even sides")
    func sizes() {
        let sizes = ScreenFit.sizes(of: FrameSize(width: 1367, height: 769))
        #expect(sizes.first == FrameSize(width: 1366, height: 768))
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0.width > $1.width })
        #expect(sizes.allSatisfy { $0.width.isMultiple(of: 2) && $0.height.isMultiple(of: 2) })
    }
}
