import MulticamMedia
import Testing

@testable import MulticamPreview

@Suite("Position of a frame in a window")
struct PreviewFitTests {
    @Test("a frame is complete, centered, and keeps its aspect ratio")
    func shapes() {
        let window = FrameSize(width: 1280, height: 720)
        let wide = PreviewFit(
            FrameSize(width: 640, height: 360), rotation: .none, isMirrored: false, in: window)
        #expect([wide.x, wide.y, wide.width, wide.height] == [0, 0, 1280, 720])
        let old = PreviewFit(
            FrameSize(width: 640, height: 480), rotation: .none, isMirrored: false, in: window)
        #expect([old.x, old.y, old.width, old.height] == [160, 0, 960, 720])
        let flat = PreviewFit(
            FrameSize(width: 1920, height: 800), rotation: .none, isMirrored: false, in: window)
        #expect([flat.x, flat.y, flat.width, flat.height] == [0, 93, 1280, 533])
    }

    @Test("a frame rotated by 90° fits as displayed, around the same center")
    func turned() {
        let window = FrameSize(width: 1280, height: 720)
        let fit = PreviewFit(
            FrameSize(width: 640, height: 360), rotation: .quarter, isMirrored: false, in: window)
        #expect([fit.width, fit.height, fit.degrees] == [720, 405, 90])
        #expect([fit.x * 2 + fit.width, fit.y * 2 + fit.height] == [1280, 719])
    }

    @Test(
        "a frame is mirrored after the rotation; SDL mirrors first, so its angle is the opposite",
        arguments: [(Rotation.none, 0), (.quarter, 270), (.half, 180), (.threeQuarters, 90)])
    func mirrored(rotation: Rotation, degrees: Int) {
        let size = FrameSize(width: 640, height: 360)
        let fit = PreviewFit(size, rotation: rotation, isMirrored: true, in: size)
        #expect(fit.degrees == degrees)
        #expect(fit.isMirrored)
    }

    @Test("every frame and window shape leaves a visible area")
    func extremes() {
        let thin = FrameSize(width: 16384, height: 1)
        let fit = PreviewFit(thin, rotation: .none, isMirrored: false, in: FrameSize(width: 2, height: 2000))
        #expect(fit.width == 2)
        #expect(fit.height == 1)
    }
}
