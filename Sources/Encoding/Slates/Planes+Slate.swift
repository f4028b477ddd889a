internal import CMedia
import Media

extension Planes {
    /// Paints a slate that stands for a missing frame: grey with a darker edge, and the caption's words on a dark panel
    /// in the middle. Without words it has diagonal bars.
    ///
    /// - Parameters:
    ///   - caption: The words; `nil` for none. There are none either where no font is found or the frame is too small
    ///     for them.
    ///   - color: Color description of the codes.
    func paintSlate(_ caption: SlateCaption?, in color: ColorDescription) {
        let (ground, mark) = (YCbCr.grey(0.5, in: color).y, YCbCr.grey(0.35, in: color).y)
        fillChroma()
        guard let caption, let words = WordSheet(caption, in: size) else {
            media_paint_slate(y, yStride, Int32(size.width), Int32(size.height), ground, mark, 1)
            return
        }
        media_paint_slate(y, yStride, Int32(size.width), Int32(size.height), ground, mark, 0)
        paint(words, panel: YCbCr.grey(0.15, in: color).y, ink: YCbCr.white(in: color).y)
    }

    /// Paints the words in the middle of the luma plane.
    private func paint(_ words: WordSheet, panel: UInt8, ink: UInt8) {
        let (left, top) = ((size.width - words.size.width) / 2, (size.height - words.size.height) / 2)
        let (width, height) = (Int32(words.size.width), Int32(words.size.height))
        let start = y + top * yStride + left
        SetPlane(start, Int32(yStride), width, height, UInt32(panel))
        // One row of ink with stride 0 serves as a whole plane.
        let inks = [UInt8](repeating: ink, count: words.size.width)
        words.read { coverage, stride in
            BlendPlane(
                inks, 0, start, Int32(yStride), coverage, Int32(stride), start, Int32(yStride), width, height)
        }
    }
}
