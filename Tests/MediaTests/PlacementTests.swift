import Media
import Testing

@testable import Media

@Suite("Placement")
struct PlacementTests {
    private func rectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRectangle {
        PixelRectangle(x: x, y: y, width: width, height: height)
    }

    @Test("fitting shows all of the frame, undistorted, in the middle at even pixels")
    func fits() {
        let place = Placement(
            of: FrameSize(width: 640, height: 480), crop: nil, rotation: .none, filling: .fit,
            into: rectangle(100, 50, 480, 270))
        #expect(place?.source == rectangle(0, 0, 640, 480))
        #expect(place?.target == rectangle(160, 50, 360, 270))
    }

    @Test("filling shows the middle of the frame in all of the rectangle")
    func fills() {
        let place = Placement(
            of: FrameSize(width: 640, height: 480), crop: nil, rotation: .none, filling: .fill,
            into: rectangle(100, 50, 480, 270))
        #expect(place?.source == rectangle(0, 60, 640, 360))
        #expect(place?.target == rectangle(100, 50, 480, 270))
    }

    @Test("a turned frame is fitted and filled as it is seen")
    func turned() {
        let fitted = Placement(
            of: FrameSize(width: 1280, height: 720), crop: nil, rotation: .quarter, filling: .fit,
            into: rectangle(0, 0, 1920, 1080))
        #expect(fitted?.target == rectangle(656, 0, 608, 1080))
        let filled = Placement(
            of: FrameSize(width: 1280, height: 720), crop: nil, rotation: .threeQuarters, filling: .fill,
            into: rectangle(0, 0, 1080, 1920))
        #expect(filled?.source == rectangle(0, 0, 1280, 720))
    }

    @Test("a frame that is nearly of the rectangle's shape keeps its edges and fills it")
    func nearly() {
        for filling in [FrameLayer.Filling.fit, .fill] {
            let place = Placement(
                of: FrameSize(width: 1366, height: 768), crop: nil, rotation: .none, filling: filling,
                into: rectangle(0, 0, 1920, 1080))
            #expect(place?.source == rectangle(0, 0, 1366, 768))
            #expect(place?.target == rectangle(0, 0, 1920, 1080))
        }
    }

    @Test("a crop is clipped to the frame, and one outside shows nothing")
    func crops() {
        let size = FrameSize(width: 64, height: 48)
        let clipped = Placement(
            of: size, crop: rectangle(33, 25, 100, 100), rotation: .none, filling: .fit,
            into: rectangle(0, 0, 64, 48))
        #expect(clipped?.source == rectangle(32, 24, 32, 24))
        let outside = Placement(
            of: size, crop: rectangle(64, 0, 10, 10), rotation: .none, filling: .fit,
            into: rectangle(0, 0, 64, 48))
        #expect(outside == nil)
    }
}
