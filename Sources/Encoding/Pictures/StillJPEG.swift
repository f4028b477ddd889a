internal import CMedia
import Media

/// Makes a JPEG of a picture that is none, once and at high quality. Its size and its colour samples stay as they are; its codes
/// become those of JFIF.
enum StillJPEG {
    /// Of 100, as libjpeg counts: what is lost beside the camera's own pictures is not seen.
    private static let quality = 95

    static func bytes(of picture: CapturedPicture) throws(EncodingError) -> SharedBytes {
        if picture.pixel == .mjpeg { return picture.memory }
        let keeps422 = [.yuyv, .uyvy, .i422].contains(picture.pixel)
        let (layout, byteCount) = PicturePlane.packed(keeps422 ? .i422 : .i420, picture.size)
        let memory = SharedBytes(count: byteCount)
        // `planes` does not keep the memory.
        defer { withExtendedLifetime(memory) {} }
        let start = memory.start.assumingMemoryBound(to: UInt8.self)
        let planes = Planes(
            y: start, u: start + layout[1].offset, v: start + layout[2].offset, yStride: layout[0].stride,
            uStride: layout[1].stride, vStride: layout[2].stride, size: picture.size, horizontalShift: 1,
            verticalShift: keeps422 ? 0 : 1)
        let everything = PixelRectangle(x: 0, y: 0, width: picture.size.width, height: picture.size.height)
        let isWhole =
            keeps422
            ? unpack(picture, into: planes) : PicturePainter().paint(picture, everything, into: planes)
        guard isWhole else {
            throw EncodingError(
                subject: "a \(picture.pixel.rawValue) picture of \(picture.size)",
                operation: "making a still",
                reason: "it is damaged, or a stream that has to be decoded first")
        }
        ColorMap(from: PicturePainter.meaning(of: picture), to: .jpeg)?.convert(planes)
        return try JPEGEncoder(quality: quality).encode(
            planes: planes.y, yStride: planes.yStride, u: planes.u, uStride: planes.uStride, v: planes.v,
            vStride: planes.vStride, size: picture.size, chroma: keeps422 ? .c422 : .c420)
    }

    /// Of 4:2:2, without giving up half of its colour.
    private static func unpack(_ picture: CapturedPicture, into target: Planes) -> Bool {
        guard picture.hasItsPlanes else { return false }
        let (width, height) = (Int32(picture.size.width), Int32(picture.size.height))
        let (y, u, v) = (Int32(target.yStride), Int32(target.uStride), Int32(target.vStride))
        let stride = Int32(picture.planes[0].stride)
        switch picture.pixel {
        case .yuyv:
            return YUY2ToI422(picture.plane(0), stride, target.y, y, target.u, u, target.v, v, width, height)
                == 0
        case .uyvy:
            return UYVYToI422(picture.plane(0), stride, target.y, y, target.u, u, target.v, v, width, height)
                == 0
        default:
            return I422Copy(
                picture.plane(0), stride, picture.plane(1), Int32(picture.planes[1].stride), picture.plane(2),
                Int32(picture.planes[2].stride), target.y, y, target.u, u, target.v, v, width, height) == 0
        }
    }
}
