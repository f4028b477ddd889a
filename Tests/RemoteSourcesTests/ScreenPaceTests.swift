import Media
import Testing

@testable import RemoteSources

@Suite("When frames of a screen are due, and where it lies in them")
struct ScreenPaceTests {
    @Test("frames are due at the rate, without drift")
    func even() {
        let begin = ClockTime(nanoseconds: 5_000_000_000)
        var pace = ScreenPace(FrameRate(30000, per: 1001), from: begin)
        for _ in 0..<30000 { #expect(pace.advance(at: pace.due) == 0) }
        #expect(pace.due == begin + .seconds(1001))
    }

    @Test(
        "who is late by an interval leaves out what nobody can look at any more, and says how much",
        arguments: [(99, 0), (199, 0), (200, 1), (260, 1), (300, 2), (1099, 9)])
    func late(milliseconds: Int64, missing: Int) {
        let begin = ClockTime(nanoseconds: 0)
        var pace = ScreenPace(FrameRate(10), from: begin)
        #expect(pace.advance(at: begin + .milliseconds(milliseconds)) == missing)
        #expect(pace.due == begin + .milliseconds(100 * Int64(missing + 1)))
    }

    @Test("a screen of the frames' size fills them, also where it has an odd side")
    func whole() {
        let frame = FrameSize(width: 640, height: 360)
        let everything = PixelRectangle(x: 0, y: 0, width: 640, height: 360)
        #expect(ScreenFit.place(of: frame, in: frame) == everything)
        #expect(ScreenFit.place(of: FrameSize(width: 641, height: 361), in: frame) == everything)
    }

    @Test("a screen of another size keeps its shape, in the middle")
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

    @Test("sizes to choose from begin with the screen's, fall, and have even sides")
    func sizes() {
        let sizes = ScreenFit.sizes(of: FrameSize(width: 1367, height: 769))
        #expect(sizes.first == FrameSize(width: 1366, height: 768))
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0.width > $1.width })
        #expect(sizes.allSatisfy { $0.width.isMultiple(of: 2) && $0.height.isMultiple(of: 2) })
    }
}
