internal import CMedia
import Media

/// A slate that is drawn once and painted each time something has covered it.
final class DrawnSlate {
    let caption: SlateCaption?
    private let size: FrameSize
    private var memory = ScratchPlanes()
    private let drawn: Planes

    /// Draws the slate.
    ///
    /// - Parameters:
    ///   - caption: The words on the slate; `nil` for none.
    ///   - size: Width × height of the slate's rectangle in pixels.
    ///   - color: Color description of the codes.
    init(_ caption: SlateCaption?, size: FrameSize, color: ColorDescription) {
        self.caption = caption
        self.size = size
        drawn = memory.planes(size, 1, 1)
        drawn.paintSlate(caption, in: color)
    }

    /// Paints the slate.
    ///
    /// - Parameter target: 4:2:0 planes of the slate's size.
    func paint(onto target: Planes) {
        CopyPlane(
            drawn.y, Int32(drawn.yStride), target.y, Int32(target.yStride), Int32(size.width),
            Int32(size.height))
        target.fillChroma()
    }
}
