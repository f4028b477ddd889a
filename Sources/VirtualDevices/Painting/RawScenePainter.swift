import Media

/// Paints the moving test frame into raw frames, each in memory of its own.
final class RawScenePainter: FramePainting {
    private let scene: TestScene
    private let background: Canvas
    private let white: Canvas

    init(scene: TestScene, pixel: PixelFormat) {
        self.scene = scene
        background = Canvas(pixel, scene.turn.stored)
        scene.paintBackground(on: background)
        white = Canvas(pixel, scene.turn.stored)
        white.fill(white.everything, scene.white)
    }

    func paint(_ frame: ExposedFrame) -> PaintedFrame {
        let canvas = (frame.holdsClap ? white : background).copy()
        scene.paintMoving(frame, on: canvas)
        return PaintedFrame(memory: canvas.memory, planes: canvas.planes)
    }
}
