internal import CMedia
import Media

/// Gives a program the pixel format that it asked for. The codes keep their meaning, and so does the size.
enum PictureConversion {
    static func convert(_ picture: CapturedPicture, to pixel: PixelFormat) throws(EncodingError)
        -> CapturedPicture
    {
        if picture.pixel == pixel { return picture }
        guard pixel == .i420 || pixel == .nv12 || pixel == .bgra else {
            throw failure(picture, pixel, "only nv12, i420 and bgra can be made")
        }
        let memory = SharedBytes(count: PicturePlane.packed(.i420, picture.size).byteCount)
        let planes = Planes(i420: memory, size: picture.size)
        let everything = PixelRectangle(x: 0, y: 0, width: picture.size.width, height: picture.size.height)
        // `planes` does not keep the memory.
        defer { withExtendedLifetime(memory) {} }
        guard PicturePainter().paint(picture, everything, into: planes) else {
            throw failure(picture, pixel, "it is damaged, or a stream that has to be decoded first")
        }
        let color = PicturePainter.meaning(of: picture)
        switch pixel {
        case .nv12: return made(picture, .nv12, color) { toNV12(planes, $0, $1) }
        case .bgra: return made(picture, .bgra, .jpeg) { toBGRA(planes, color, $0, $1) }
        default:
            return CapturedPicture(
                pixel: .i420, size: picture.size, color: color, capturedAt: picture.capturedAt,
                sequence: picture.sequence, isKey: true, memory: memory,
                planes: PicturePlane.packed(.i420, picture.size).planes, isOwned: true)
        }
    }

    private static func failure(_ picture: CapturedPicture, _ pixel: PixelFormat, _ reason: String)
        -> EncodingError
    {
        EncodingError(
            subject: "a \(picture.pixel.rawValue) picture of \(picture.size)",
            operation: "conversion to \(pixel.rawValue)", reason: reason)
    }

    private static func made(
        _ picture: CapturedPicture, _ pixel: PixelFormat, _ color: ColorDescription,
        _ fill: (UnsafeMutablePointer<UInt8>, [PicturePlane]) -> Void
    ) -> CapturedPicture {
        let (planes, byteCount) = PicturePlane.packed(pixel, picture.size)
        let memory = SharedBytes(count: byteCount)
        fill(memory.start.assumingMemoryBound(to: UInt8.self), planes)
        return CapturedPicture(
            pixel: pixel, size: picture.size, color: color, capturedAt: picture.capturedAt,
            sequence: picture.sequence,
            isKey: true, memory: memory, planes: planes, isOwned: true)
    }

    private static func toNV12(
        _ source: Planes, _ start: UnsafeMutablePointer<UInt8>, _ planes: [PicturePlane]
    ) {
        I420ToNV12(
            source.y, Int32(source.yStride), source.u, Int32(source.uStride), source.v, Int32(source.vStride),
            start + planes[0].offset, Int32(planes[0].stride), start + planes[1].offset,
            Int32(planes[1].stride),
            Int32(source.size.width), Int32(source.size.height))
    }

    /// Over JPEG's codes, because libyuv's own factors for limited range are cut to 7 bits and up to 9 levels off.
    private static func toBGRA(
        _ source: Planes, _ color: ColorDescription, _ start: UnsafeMutablePointer<UInt8>,
        _ planes: [PicturePlane]
    ) {
        ColorMap(from: color, to: .jpeg)?.convert(source)
        J420ToARGB(
            source.y, Int32(source.yStride), source.u, Int32(source.uStride), source.v, Int32(source.vStride),
            start,
            Int32(planes[0].stride), Int32(source.size.width), Int32(source.size.height))
    }
}
