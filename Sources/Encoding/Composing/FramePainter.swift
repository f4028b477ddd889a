internal import CMulticamMedia
import MulticamMedia

/// Paints part of a frame of any format into 4:2:0 planes of any size. The color description doesn't change,
/// except for BGRA.
///
/// The painter holds scratch memory and isn't thread-safe: use it from one thread only.
final class FramePainter {
    private let decoder = JPEGDecoder()
    private var decoded = ScratchPlanes()
    private var unpacked = ScratchPlanes()
    private var upright = ScratchPlanes()
    private let sharedPool = BytesPool()

    /// Returns the color description of the painted samples. The result is the frame's own color description,
    /// except for BGRA frames, which are painted with JPEG's color description.
    static func paintedColor(of frame: CapturedFrame) -> ColorDescription {
        frame.pixel == .bgra ? .jpeg : frame.color
    }

    /// Paints part of a frame.
    ///
    /// - Parameters:
    ///   - frame: A frame of any format. H.264 can't be painted and returns `false`.
    ///   - source: Part of the stored frame; its position must be even.
    ///   - rotation: Clockwise rotation to apply to the part.
    ///   - isMirrored: Whether the part is mirrored left to right after the rotation.
    ///   - isCoarse: Whether a JPEG may be decoded at half the target's size.
    ///   - target: 4:2:0 planes with about the same aspect ratio as the rotated part.
    /// - Returns: Whether the frame was complete. If the frame is incomplete, parts of the target are
    ///   undefined.
    func paint(
        _ frame: CapturedFrame, _ source: PixelRectangle, rotation: Rotation = .none,
        isMirrored: Bool = false, isCoarse: Bool = false, into target: Planes
    ) -> Bool {
        if rotation == .none, !isMirrored { return paint(frame, source, isCoarse, into: target) }
        let asStored = rotation.swapsSides ? target.size.transposed : target.size
        let planes = upright.planes(asStored, 1, 1)
        guard paint(frame, source, isCoarse, into: planes) else { return false }
        planes.rotate(rotation, isMirrored: isMirrored, into: target)
        return true
    }

    private func paint(
        _ frame: CapturedFrame, _ source: PixelRectangle, _ isCoarse: Bool, into target: Planes
    ) -> Bool {
        switch frame.pixel {
        case .mjpeg:
            return paintJPEG(frame, source, isCoarse, into: target)
        case .h264:
            return false
        case .i420, .converted, .i422:
            guard let planes = frame.planarView else { return false }
            planes.part(source).scale(into: target)
            return true
        case .grey:
            guard let planes = frame.greyView else { return false }
            planes.part(source).scale(into: target, isGray: true)
            return true
        case .yuyv, .uyvy, .nv12, .bgra:
            guard frame.hasValidPlanes else { return false }
            if source.size == target.size { return unpack(frame, source, into: target) }
            let planes = unpacked.planes(source.size, 1, 1)
            guard unpack(frame, source, into: planes) else { return false }
            planes.scale(into: target)
            return true
        }
    }

    private func paintJPEG(
        _ frame: CapturedFrame, _ source: PixelRectangle, _ isCoarse: Bool, into target: Planes
    ) -> Bool {
        guard let header = decoder.header(of: frame.memory), header.size == frame.size else {
            return false
        }
        let size = target.size
        let scale = JPEGScale.smallest(for: source.size, wanted: isCoarse ? size.halved : size)
        if scale == .whole, let decoding = frame.sharedDecoding, let pixel = header.sharedPixel {
            let outcome = decoding.outcome { decodeShared(frame, header, as: pixel) }
            guard case .decoded(let raw) = outcome, let planes = raw.planarView else { return false }
            planes.part(source).scale(into: target)
            return true
        }
        let decodedSize = scale.scaled(header.size)
        let shifts = header.shifts ?? (1, 1)
        let isWhole =
            source == PixelRectangle(x: 0, y: 0, width: header.size.width, height: header.size.height)
        if isWhole, decodedSize == size {
            return decodeInPlace(frame.memory, header, into: target)
        }
        let planes = decoded.planes(decodedSize, shifts.horizontal, shifts.vertical)
        guard decoder.decode(frame.memory, header, into: planes) else { return false }
        planes.part(Self.scaled(source, by: scale, within: decodedSize, isWhole: isWhole)).scale(
            into: target, isGray: header.shifts == nil)
        return true
    }

    /// Decodes a JPEG into memory that is shared with all other consumers of the frame.
    private func decodeShared(
        _ frame: CapturedFrame, _ header: JPEGDecoder.Header, as pixel: PixelFormat
    ) -> SharedDecoding.Outcome {
        let (planes, byteCount) = FramePlane.packed(pixel, header.size)
        let raw = CapturedFrame(
            pixel: pixel, size: header.size, color: frame.color, capturedAt: frame.capturedAt,
            sequence: frame.sequence, memory: sharedPool.bytes(byteCount), planes: planes, isOwned: true)
        guard let target = raw.planarView, decoder.decode(frame.memory, header, into: target) else {
            return .damaged
        }
        return .decoded(raw)
    }

    /// Decodes a JPEG directly into the target if one of the decoder's scales matches the target exactly.
    /// Direct decoding is the cheapest method: only the chroma planes need a second step, and only if their
    /// subsampling differs.
    private func decodeInPlace(_ bytes: SharedBytes, _ header: JPEGDecoder.Header, into target: Planes)
        -> Bool
    {
        guard let shifts = header.shifts else {
            target.fillChroma()
            return decoder.decode(bytes, header, into: target)
        }
        if shifts == (1, 1) { return decoder.decode(bytes, header, into: target) }
        let color = decoded.planes(target.size, shifts.horizontal, shifts.vertical)
        let mixed = Planes(
            y: target.y, u: color.u, v: color.v, yStride: target.yStride, uStride: color.uStride,
            vStride: color.vStride,
            size: target.size, horizontalShift: shifts.horizontal, verticalShift: shifts.vertical)
        guard decoder.decode(bytes, header, into: mixed) else { return false }
        mixed.scaleChroma(into: target)
        return true
    }

    /// Returns the rectangle in the scaled frame that corresponds to a part of the full frame, to the nearest pixel.
    private static func scaled(
        _ part: PixelRectangle, by scale: JPEGScale, within size: FrameSize, isWhole: Bool
    ) -> PixelRectangle {
        if isWhole { return PixelRectangle(x: 0, y: 0, width: size.width, height: size.height) }
        let side = scale.scaled(part.size)
        let left = min((part.x * scale.eighths + 4) / 8, size.width - 1)
        let top = min((part.y * scale.eighths + 4) / 8, size.height - 1)
        return PixelRectangle(
            x: left, y: top, width: min(side.width, size.width - left),
            height: min(side.height, size.height - top))
    }

    /// Converts packed and interleaved pixel formats to 4:2:0 planes of the same size.
    private func unpack(_ frame: CapturedFrame, _ source: PixelRectangle, into target: Planes) -> Bool {
        let (width, height) = (Int32(source.width), Int32(source.height))
        let stride = frame.planes[0].stride
        let (yStride, uStride, vStride) = (
            Int32(target.yStride), Int32(target.uStride), Int32(target.vStride)
        )
        let row = frame.startOfPlane(0) + source.y * stride
        let result =
            switch frame.pixel {
            case .yuyv:
                YUY2ToI420(
                    row + source.x * 2, Int32(stride), target.y, yStride, target.u, uStride, target.v,
                    vStride, width, height)
            case .uyvy:
                UYVYToI420(
                    row + source.x * 2, Int32(stride), target.y, yStride, target.u, uStride, target.v,
                    vStride, width, height)
            case .bgra:
                ARGBToJ420(
                    row + source.x * 4, Int32(stride), target.y, yStride, target.u, uStride, target.v,
                    vStride, width, height)
            case .nv12:
                NV12ToI420(
                    row + source.x, Int32(stride),
                    frame.startOfPlane(1) + source.y / 2 * frame.planes[1].stride + source.x / 2 * 2,
                    Int32(frame.planes[1].stride), target.y, yStride, target.u, uStride, target.v, vStride,
                    width, height)
            default: Int32(-1)
            }
        return result == 0
    }
}
