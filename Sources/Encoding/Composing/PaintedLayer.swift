import Media

/// The content of a layer's rectangle since it was last painted, which tells whether it must be painted again.
struct PaintedLayer {
    /// All properties of a layer except its frame and caption.
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

        /// The rectangle inside the border; the whole rectangle where the border would leave nothing.
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
    /// The rectangle that the frame covers, with black beside it; `nil` for a slate and before the first painting.
    var target: PixelRectangle?
    /// The last frame that was asked for. Weak, because raw frames are only lent.
    weak var frame: CapturedFrame?
    var isSlate = false
    /// The slate, drawn when it was first needed and kept: whatever moves below it covers it at every tick.
    var slate: DrawnSlate?
    var isDamaged = false
    /// Copy of the layer's pixels while something below it is painted anew.
    var aside = PixelsAside()
    /// The last whole JPEG, shown in place of a damaged one.
    var lastWhole: CapturedFrame?

    init(_ layer: FrameLayer) {
        shape = Shape(layer)
    }

    /// Whether painting the frame or slate of a layer of this shape would change nothing.
    func shows(_ wanted: FrameLayer) -> Bool {
        guard let asked = wanted.frame else { return isSlate && slate?.caption == wanted.caption }
        return frame === asked
    }
}
