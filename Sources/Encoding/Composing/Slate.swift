internal import CMulticamMedia
package import MulticamMedia

/// Creates JPEGs that replace missing camera frames.
enum Slate {
    /// Creates a slate with the size, chroma subsampling, and baseline coding of a camera's JPEG, so that it can be
    /// stored among the camera's packets.
    ///
    /// - Parameters:
    ///   - frame: One of the camera's own JPEG frames.
    ///   - caption: Text on the slate.
    /// - Returns: A complete JPEG.
    /// - Throws: An error if the frame isn't a JPEG, or libjpeg-turbo rejects it.
    static func makeJPEG(
        like frame: CapturedFrame, caption: SlateCaption
    ) throws(EncodingError) -> SharedBytes {
        guard frame.pixel == .mjpeg, let header = JPEGDecoder().header(of: frame.memory) else {
            throw EncodingError(
                subject: "a slate", operation: "reading the camera's frame",
                reason: "the frame is not a readable JPEG image")
        }
        let shifts = header.shifts ?? (1, 1)
        var scratch = ScratchPlanes()
        let planes = scratch.planes(header.size, shifts.horizontal, shifts.vertical)
        defer { withExtendedLifetime(scratch) {} }
        planes.paintSlate(caption, in: .jpeg)
        return try JPEGEncoder(quality: 75).encode(
            [UnsafePointer(planes.y), UnsafePointer(planes.u), UnsafePointer(planes.v)],
            strides: [planes.yStride, planes.uStride, planes.vStride], size: header.size,
            sampling: header.turboJPEG)
    }
}

/// Creates a slate as an independent frame, for a window that has no other frame to show.
package enum SlateFrame {
    /// Draws a slate. The first call takes tens of milliseconds because it reads the machine's fonts.
    ///
    /// - Parameters:
    ///   - caption: Text on the slate.
    ///   - size: Width × height in pixels, both at least 2.
    /// - Returns: An I420 frame in JPEG's color description that owns its memory.
    package static func makeFrame(_ caption: SlateCaption, size: FrameSize) -> CapturedFrame {
        let (planes, byteCount) = FramePlane.packed(.i420, size)
        let memory = SharedBytes(count: byteCount)
        Planes(i420: memory, size: size).paintSlate(caption, in: .jpeg)
        return CapturedFrame(
            pixel: .i420, size: size, color: .jpeg, capturedAt: MonotonicClock().now, sequence: 0,
            memory: memory, planes: planes, isOwned: true)
    }
}

/// A slate that is drawn once and then copied into the frame each time other content has overwritten it.
final class DrawnSlate {
    let caption: SlateCaption?
    private let size: FrameSize
    private var memory = ScratchPlanes()
    private let drawn: Planes

    /// Draws the slate.
    ///
    /// - Parameters:
    ///   - caption: Text on the slate; `nil` for no text.
    ///   - size: Width × height of the slate's rectangle in pixels.
    ///   - color: Color description of the target frame.
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

extension Planes {
    /// Paints a slate that replaces a missing frame: gray with a darker edge, and the caption on a dark panel in the
    /// center. A slate without text has diagonal bars.
    ///
    /// - Parameters:
    ///   - caption: Text on the slate; `nil` for no text. No text is drawn if no font is found or the frame
    ///     is too small.
    ///   - color: Color description of the planes.
    func paintSlate(_ caption: SlateCaption?, in color: ColorDescription) {
        let (ground, mark) = (YCbCr.grey(0.5, in: color).y, YCbCr.grey(0.35, in: color).y)
        fillChroma()
        guard let caption, let words = TextMask(caption, in: size) else {
            media_paint_slate(y, yStride, Int32(size.width), Int32(size.height), ground, mark, 1)
            return
        }
        media_paint_slate(y, yStride, Int32(size.width), Int32(size.height), ground, mark, 0)
        paint(words, panel: YCbCr.grey(0.15, in: color).y, ink: YCbCr.white(in: color).y)
    }

    /// Paints the text in the center of the luma plane.
    private func paint(_ words: TextMask, panel: UInt8, ink: UInt8) {
        let (left, top) = ((size.width - words.size.width) / 2, (size.height - words.size.height) / 2)
        let (width, height) = (Int32(words.size.width), Int32(words.size.height))
        let start = y + top * yStride + left
        SetPlane(start, Int32(yStride), width, height, UInt32(panel))
        // A single row of the text color, read with a stride of 0, serves as an entire plane.
        let inks = [UInt8](repeating: ink, count: words.size.width)
        words.withCoverage { coverage, stride in
            BlendPlane(
                inks, 0, start, Int32(yStride), coverage, Int32(stride), start, Int32(yStride), width, height)
        }
    }
}
