import Media

/// What a layer's rectangle shows since it was last painted, to know what need not be painted again.
struct PaintedLayer {
    /// All of a layer but its frame.
    struct Shape: Equatable {
        let rectangle: PixelRectangle
        let filling: FrameLayer.Filling
        let rotation: Rotation
        let isMirrored: Bool
        let crop: PixelRectangle?
        let border: Int
        let isCoarse: Bool

        init(_ layer: FrameLayer) {
            rectangle = layer.rectangle
            filling = layer.filling
            rotation = layer.rotation
            isMirrored = layer.isMirrored
            crop = layer.crop
            border = layer.border
            isCoarse = layer.isCoarse
        }

        /// What is left of the rectangle inside the border; all of it where the border would leave nothing.
        var inner: PixelRectangle {
            let width = max(0, border & ~1)
            guard rectangle.width >= 2 * width + 2, rectangle.height >= 2 * width + 2 else {
                return rectangle
            }
            return PixelRectangle(
                x: rectangle.x + width, y: rectangle.y + width, width: rectangle.width - 2 * width,
                height: rectangle.height - 2 * width)
        }
    }

    let shape: Shape
    /// The pixels that the frame takes; beside them is black. `nil` for a slate and before anything was painted.
    var target: PixelRectangle?
    /// The last frame that was asked for, and whether it was damaged. Weak, because raw frames are only lent.
    weak var frame: CapturedFrame?
    var isSlate = false
    /// Drawn when it was first needed, and kept: whatever moves below it covers it at every tick.
    var slate: DrawnSlate?
    var isDamaged = false
    /// Its pixels, while something below it is painted anew.
    var aside = PixelsAside()
    /// The last whole JPEG, shown in place of a damaged one.
    var lastWhole: CapturedFrame?

    init(_ layer: FrameLayer) {
        shape = Shape(layer)
    }

    /// Whether painting the frame of a layer of this shape, or its slate, would change nothing.
    func shows(_ wanted: FrameLayer) -> Bool {
        guard let asked = wanted.frame else { return isSlate && slate?.caption == wanted.caption }
        return frame === asked
    }
}
