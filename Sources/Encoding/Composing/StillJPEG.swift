internal import CMedia
import Media

/// Makes a high-quality JPEG of a frame in another format. Size and chroma samples stay as they are; the codes become
/// full-range BT.601 (JFIF).
enum StillJPEG {
    /// JPEG quality of 1…100, as libjpeg counts: beside the camera's own frames no loss is visible.
    private static let quality = 95

    static func bytes(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes {
        if frame.pixel == .mjpeg { return frame.memory }
        let keeps422 = [.yuyv, .uyvy, .i422].contains(frame.pixel)
        let (layout, byteCount) = FramePlane.packed(keeps422 ? .i422 : .i420, frame.size)
        let memory = SharedBytes(count: byteCount)
        // `planes` does not keep the memory alive.
        defer { withExtendedLifetime(memory) {} }
        let start = memory.start.assumingMemoryBound(to: UInt8.self)
        let planes = Planes(
            y: start, u: start + layout[1].offset, v: start + layout[2].offset, yStride: layout[0].stride,
            uStride: layout[1].stride, vStride: layout[2].stride, size: frame.size, horizontalShift: 1,
            verticalShift: keeps422 ? 0 : 1)
        let everything = PixelRectangle(x: 0, y: 0, width: frame.size.width, height: frame.size.height)
        let isWhole =
            keeps422
            ? unpack(frame, into: planes) : FramePainter().paint(frame, everything, into: planes)
        guard isWhole else {
            throw EncodingError(
                subject: "a \(frame.pixel.rawValue) frame of \(frame.size)",
                operation: "making a still",
                reason: "it is damaged, or a stream that has to be decoded first")
        }
        ColorMap(from: FramePainter.meaning(of: frame), to: .jpeg)?.convert(planes)
        return try JPEGEncoder(quality: quality).encode(
            planes: planes.y, yStride: planes.yStride, u: planes.u, uStride: planes.uStride, v: planes.v,
            vStride: planes.vStride, size: frame.size, chroma: keeps422 ? .c422 : .c420)
    }

    /// Converts 4:2:2 formats to planar 4:2:2, which keeps all chroma samples.
    private static func unpack(_ frame: CapturedFrame, into target: Planes) -> Bool {
        guard frame.hasItsPlanes else { return false }
        let (width, height) = (Int32(frame.size.width), Int32(frame.size.height))
        let (y, u, v) = (Int32(target.yStride), Int32(target.uStride), Int32(target.vStride))
        let stride = Int32(frame.planes[0].stride)
        switch frame.pixel {
        case .yuyv:
            return YUY2ToI422(frame.plane(0), stride, target.y, y, target.u, u, target.v, v, width, height)
                == 0
        case .uyvy:
            return UYVYToI422(frame.plane(0), stride, target.y, y, target.u, u, target.v, v, width, height)
                == 0
        default:
            return I422Copy(
                frame.plane(0), stride, frame.plane(1), Int32(frame.planes[1].stride), frame.plane(2),
                Int32(frame.planes[2].stride), target.y, y, target.u, u, target.v, v, width, height) == 0
        }
    }
}
