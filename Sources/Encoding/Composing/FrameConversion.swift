internal import CMulticamMedia
import MulticamMedia

/// Converts a frame, or part of it, to a requested pixel format and size. The color description doesn't
/// change, except for BGRA, which is full range.
enum FrameConversion {
    /// Maximum frame size: 8K.
    private static let largest = FrameSize(width: 7680, height: 4320)

    static func convert(
        _ frame: CapturedFrame, to pixel: PixelFormat, part: FramePart?, size wanted: FrameSize?
    ) throws(EncodingError) -> CapturedFrame {
        let everything = PixelRectangle(x: 0, y: 0, width: frame.size.width, height: frame.size.height)
        let part = part?.pixels(of: frame.size) ?? everything
        let size = wanted ?? part.size
        if frame.pixel == pixel, part == everything, size == frame.size { return frame }
        guard [.i420, .nv12, .yuyv, .bgra].contains(pixel) else {
            throw conversionError(frame, pixel, "the output format must be nv12, i420, yuyv, or bgra")
        }
        if let wanted {
            guard wanted.width >= 2, wanted.height >= 2, wanted.width <= largest.width,
                wanted.height <= largest.height, (wanted.width | wanted.height) & 1 == 0
            else {
                throw conversionError(
                    frame, pixel, "the output size must be even, from 2x2 to \(largest), not \(wanted)")
            }
        }
        let memory = SharedBytes(count: FramePlane.packed(.i420, size).byteCount)
        let planes = Planes(i420: memory, size: size)
        // `planes` only points to the memory and doesn't keep it alive.
        defer { withExtendedLifetime(memory) {} }
        guard FramePainter().paint(frame, part, into: planes) else {
            throw conversionError(
                frame, pixel, "the frame is damaged, or contains compressed video that must be decoded first")
        }
        let color = FramePainter.paintedColor(of: frame)
        switch pixel {
        case .nv12: return makeFrame(frame, .nv12, size, color) { toNV12(planes, $0, $1) }
        case .yuyv:
            return makeFrame(frame, .yuyv, size, color) { start, packed in
                I420ToYUY2(
                    planes.y, Int32(planes.yStride), planes.u, Int32(planes.uStride), planes.v,
                    Int32(planes.vStride), start, Int32(packed[0].stride), Int32(size.width),
                    Int32(size.height))
            }
        case .bgra: return makeFrame(frame, .bgra, size, .jpeg) { toBGRA(planes, color, $0, $1) }
        default:
            return CapturedFrame(
                pixel: .i420, size: size, color: color, capturedAt: frame.capturedAt,
                sequence: frame.sequence, isKey: true, memory: memory,
                planes: FramePlane.packed(.i420, size).planes, isOwned: true)
        }
    }

    private static func conversionError(_ frame: CapturedFrame, _ pixel: PixelFormat, _ reason: String)
        -> EncodingError
    {
        EncodingError(
            subject: "a \(frame.pixel.rawValue) frame of \(frame.size)",
            operation: "converting to \(pixel.rawValue)", reason: reason)
    }

    private static func makeFrame(
        _ frame: CapturedFrame, _ pixel: PixelFormat, _ size: FrameSize, _ color: ColorDescription,
        _ fill: (UnsafeMutablePointer<UInt8>, [FramePlane]) -> Void
    ) -> CapturedFrame {
        let (planes, byteCount) = FramePlane.packed(pixel, size)
        let memory = SharedBytes(count: byteCount)
        fill(memory.start.assumingMemoryBound(to: UInt8.self), planes)
        return CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: frame.capturedAt,
            sequence: frame.sequence,
            isKey: true, memory: memory, planes: planes, isOwned: true)
    }

    private static func toNV12(
        _ source: Planes, _ start: UnsafeMutablePointer<UInt8>, _ planes: [FramePlane]
    ) {
        I420ToNV12(
            source.y, Int32(source.yStride), source.u, Int32(source.uStride), source.v, Int32(source.vStride),
            start + planes[0].offset, Int32(planes[0].stride), start + planes[1].offset,
            Int32(planes[1].stride),
            Int32(source.size.width), Int32(source.size.height))
    }

    /// Converts to BGRA via full-range codes as in JPEG. libyuv's conversion factors for limited range have
    /// only 7 bits, which causes errors of up to 9 levels.
    private static func toBGRA(
        _ source: Planes, _ color: ColorDescription, _ start: UnsafeMutablePointer<UInt8>,
        _ planes: [FramePlane]
    ) {
        ColorMap(from: color, to: .jpeg)?.convert(source)
        J420ToARGB(
            source.y, Int32(source.yStride), source.u, Int32(source.uStride), source.v, Int32(source.vStride),
            start,
            Int32(planes[0].stride), Int32(source.size.width), Int32(source.size.height))
    }
}
