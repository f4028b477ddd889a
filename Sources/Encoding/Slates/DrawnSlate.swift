internal import CMedia
import Media

/// A slate that is drawn once and painted as often as it is covered.
final class DrawnSlate {
    let caption: SlateCaption?
    private let size: FrameSize
    private var memory = ScratchPlanes()
    private let drawn: Planes

    /// Draws it.
    ///
    /// - Parameters:
    ///   - caption: What it says; `nil` for no words.
    ///   - size: In pixels, of the rectangle that it fills.
    ///   - color: What the codes mean.
    init(_ caption: SlateCaption?, size: FrameSize, color: ColorDescription) {
        self.caption = caption
        self.size = size
        drawn = memory.planes(size, 1, 1)
        drawn.paintSlate(caption, in: color)
    }

    /// - Parameter target: 4:2:0 planes of the slate's size.
    func paint(onto target: Planes) {
        CopyPlane(
            drawn.y, Int32(drawn.yStride), target.y, Int32(target.yStride), Int32(size.width),
            Int32(size.height))
        target.fillChroma()
    }
}
