import MulticamMedia
import Testing

@testable import MulticamMedia

@Suite("Placement")
struct PlacementTests {
    private func rectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRectangle {
        PixelRectangle(x: x, y: y, width: width, height: height)
    }

    @Test("contain shows the entire frame, undistorted and centered at even pixels")
    func fits() {
        let place = Placement(
            of: FrameSize(width: 640, height: 480), crop: nil, rotation: .none, fit: .contain,
            into: rectangle(100, 50, 480, 270))
        #expect(place?.source == rectangle(0, 0, 640, 480))
        #expect(place?.target == rectangle(160, 50, 360, 270))
    }

    @Test(
        "non-square pixels are placed as displayed", arguments: [FrameFit.contain, .cover])
    func anamorphic(fit: FrameFit) {
        let place = Placement(
            of: FrameSize(width: 800, height: 640), pixel: AspectRatio("64:45"), crop: nil,
            rotation: .none,
            fit: fit, into: rectangle(0, 0, 640, 360))
        #expect(place?.source == rectangle(0, 0, 800, 640))
        #expect(place?.target == rectangle(0, 0, 640, 360))
        let turned = Placement(
            of: FrameSize(width: 800, height: 640), pixel: AspectRatio("64:45"), crop: nil,
            rotation: .quarter, fit: fit, into: rectangle(0, 0, 360, 640))
        #expect(turned?.target == rectangle(0, 0, 360, 640))
    }

    @Test("cover fills the rectangle with the center of the frame")
    func fills() {
        let place = Placement(
            of: FrameSize(width: 640, height: 480), crop: nil, rotation: .none, fit: .cover,
            into: rectangle(100, 50, 480, 270))
        #expect(place?.source == rectangle(0, 60, 640, 360))
        #expect(place?.target == rectangle(100, 50, 480, 270))
    }

    @Test("contain and cover use the displayed shape of a rotated frame")
    func turned() {
        let fitted = Placement(
            of: FrameSize(width: 1280, height: 720), crop: nil, rotation: .quarter, fit: .contain,
            into: rectangle(0, 0, 1920, 1080))
        #expect(fitted?.target == rectangle(656, 0, 608, 1080))
        let filled = Placement(
            of: FrameSize(width: 1280, height: 720), crop: nil, rotation: .threeQuarters, fit: .cover,
            into: rectangle(0, 0, 1080, 1920))
        #expect(filled?.source == rectangle(0, 0, 1280, 720))
    }

    @Test("a frame with nearly the rectangle's aspect ratio fills it without cropping")
    func nearly() {
        for fit in [FrameFit.contain, .cover] {
            let place = Placement(
                of: FrameSize(width: 1366, height: 768), crop: nil, rotation: .none, fit: fit,
                into: rectangle(0, 0, 1920, 1080))
            #expect(place?.source == rectangle(0, 0, 1366, 768))
            #expect(place?.target == rectangle(0, 0, 1920, 1080))
        }
    }

    @Test("a crop is clipped to the frame, and a crop outside the frame shows nothing")
    func crops() {
        let size = FrameSize(width: 64, height: 48)
        let clipped = Placement(
            of: size, crop: rectangle(33, 25, 100, 100), rotation: .none, fit: .contain,
            into: rectangle(0, 0, 64, 48))
        #expect(clipped?.source == rectangle(32, 24, 32, 24))
        let outside = Placement(
            of: size, crop: rectangle(64, 0, 10, 10), rotation: .none, fit: .contain,
            into: rectangle(0, 0, 64, 48))
        #expect(outside == nil)
    }
}
