internal import CMulticamMedia
import MulticamMedia

/// Creates I420 frames from a decoder's output. The decoder's memory is borrowed if its layout is suitable;
/// otherwise, the frame is copied or converted.
final class FileFrames {
    private let subject: String
    private let scaler: FrameScaler

    init(_ subject: String) {
        self.subject = subject
        scaler = FrameScaler(subject)
    }

    /// Creates an I420 frame from a decoded frame.
    ///
    /// - Parameters:
    ///   - frame: A decoded frame, which is empty afterwards if its memory was borrowed.
    ///   - capturedAt: Capture time of the frame.
    ///   - sequence: Sequence number of the frame.
    ///   - isMirrored: Whether the result is mirrored left to right.
    /// - Returns: An I420 frame that owns its memory.
    /// - Throws: An error if memory allocation fails, the frame doesn't contain planes, or swscale can't convert it.
    func frame(
        of frame: UnsafeMutablePointer<AVFrame>, capturedAt: ClockTime, sequence: Int64,
        isMirrored: Bool = false
    ) throws(EncodingError) -> CapturedFrame {
        let facts = frame.pointee
        let size = FrameSize(width: Int(facts.width), height: Int(facts.height))
        let pixel = AVPixelFormat(facts.format)
        let color = ColorDescription(
            matrix: facts.colorspace, range: facts.color_range, pixel: pixel, height: size.height)
        let isKey = media_is_key(frame) != 0
        guard pixel == AV_PIX_FMT_YUV420P || pixel == AV_PIX_FMT_YUVJ420P else {
            let frame = try converted(frame, size, color, capturedAt, sequence, isKey)
            return isMirrored ? try mirrored(frame) : frame
        }
        let found: (memory: SharedBytes, planes: [FramePlane])
        if let lent = try borrowed(frame) { found = lent } else { found = try copied(frame, size) }
        let result = CapturedFrame(
            pixel: .i420, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: found.memory, planes: found.planes, isOwned: true)
        return isMirrored ? try mirrored(result) : result
    }

    /// Returns the frame mirrored left to right.
    private func mirrored(_ frame: CapturedFrame) throws(EncodingError) -> CapturedFrame {
        let (planes, byteCount) = FramePlane.packed(.i420, frame.size)
        let memory = SharedBytes(count: byteCount)
        let target = Planes(i420: memory, size: frame.size)
        let result = I420Mirror(
            frame.startOfPlane(0), Int32(frame.planes[0].stride), frame.startOfPlane(1),
            Int32(frame.planes[1].stride),
            frame.startOfPlane(2), Int32(frame.planes[2].stride), target.y, Int32(target.yStride), target.u,
            Int32(target.uStride), target.v, Int32(target.vStride), Int32(frame.size.width),
            Int32(frame.size.height))
        guard result == 0 else {
            throw EncodingError(subject: subject, operation: "I420Mirror", reason: "the frame has no planes")
        }
        return CapturedFrame(
            pixel: .i420, size: frame.size, color: frame.color, capturedAt: frame.capturedAt,
            sequence: frame.sequence,
            isKey: frame.isKey, memory: memory, planes: planes, isOwned: true)
    }

    /// Borrows the decoder's memory without copying, if all planes are in one buffer and none is upside down; otherwise
    /// returns `nil`.
    private func borrowed(
        _ frame: UnsafeMutablePointer<AVFrame>
    ) throws(EncodingError) -> (memory: SharedBytes, planes: [FramePlane])? {
        guard let buffer = frame.pointee.buf.0, frame.pointee.buf.1 == nil, let start = buffer.pointee.data,
            let y = frame.pointee.data.0, let u = frame.pointee.data.1, let v = frame.pointee.data.2
        else { return nil }
        let strides = frame.pointee.linesize
        guard strides.0 > 0, strides.1 > 0, strides.2 > 0 else { return nil }
        guard let kept = av_frame_alloc() else { throw .outOfMemory(subject, "av_frame_alloc") }
        let count = Int(buffer.pointee.size)
        av_frame_move_ref(kept, frame)
        nonisolated(unsafe) let held = kept  // only the release closure accesses it afterwards
        let memory = SharedBytes(start: start, count: count) {
            var frame: UnsafeMutablePointer<AVFrame>? = held
            av_frame_free(&frame)
        }
        let planes = [
            FramePlane(offset: y - start, stride: Int(strides.0)),
            FramePlane(offset: u - start, stride: Int(strides.1)),
            FramePlane(offset: v - start, stride: Int(strides.2)),
        ]
        return (memory, planes)
    }

    private func copied(
        _ frame: UnsafeMutablePointer<AVFrame>, _ size: FrameSize
    ) throws(EncodingError) -> (memory: SharedBytes, planes: [FramePlane]) {
        let (planes, byteCount) = FramePlane.packed(.i420, size)
        let memory = SharedBytes(count: byteCount)
        let target = Planes(i420: memory, size: size)
        let strides = frame.pointee.linesize
        let result = I420Copy(
            frame.pointee.data.0, strides.0, frame.pointee.data.1, strides.1, frame.pointee.data.2, strides.2,
            target.y, Int32(target.yStride), target.u, Int32(target.uStride), target.v, Int32(target.vStride),
            Int32(size.width), Int32(size.height))
        guard result == 0 else {
            throw EncodingError(
                subject: subject, operation: "I420Copy", reason: "the decoder returned a frame without planes"
            )
        }
        return (memory, planes)
    }

    private func converted(
        _ frame: UnsafeMutablePointer<AVFrame>, _ size: FrameSize, _ color: ColorDescription,
        _ capturedAt: ClockTime,
        _ sequence: Int64, _ isKey: Bool
    ) throws(EncodingError) -> CapturedFrame {
        // RGB frames have no matrix coefficients. JPEG's full-range matrix preserves the entire range of RGB.
        let isRGB = media_is_rgb(frame.pointee.format) != 0
        let meaning = isRGB ? .jpeg : color
        let (planes, byteCount) = FramePlane.packed(.i420, size)
        let memory = SharedBytes(count: byteCount)
        try scaler.scale(frame, of: meaning, to: Planes(i420: memory, size: size), as: meaning)
        return CapturedFrame(
            pixel: .i420, size: size, color: meaning, capturedAt: capturedAt, sequence: sequence,
            isKey: isKey,
            memory: memory, planes: planes, isOwned: true)
    }
}

/// Converts pixel formats that libyuv doesn't support, using swscale. The conversion is slow and isn't used
/// for live camera frames.
final class FrameScaler {
    private var context: OpaquePointer?
    private let subject: String

    init(_ subject: String) {
        self.subject = subject
    }

    deinit {
        sws_freeContext(context)
    }

    /// Converts and scales a decoded frame of any pixel format to 4:2:0.
    ///
    /// - Parameters:
    ///   - frame: The decoded frame, which isn't modified.
    ///   - source: Color description of the frame.
    ///   - target: 4:2:0 planes of any size. The frame is scaled to fill the planes.
    ///   - color: Color description of the target.
    /// - Throws: An error if swscale doesn't support the pixel format or fails.
    func scale(
        _ frame: UnsafeMutablePointer<AVFrame>, of source: ColorDescription, to target: Planes,
        as color: ColorDescription
    ) throws(EncodingError) {
        context = sws_getCachedContext(
            context, frame.pointee.width, frame.pointee.height, AVPixelFormat(frame.pointee.format),
            Int32(target.size.width), Int32(target.size.height), AV_PIX_FMT_YUV420P,
            SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nil, nil, nil)
        guard let context else {
            throw EncodingError(
                subject: subject, operation: "sws_getCachedContext",
                reason: "swscale cannot convert this pixel format")
        }
        sws_setColorspaceDetails(
            context, source.swscaleCoefficients, source.range == .full ? 1 : 0, color.swscaleCoefficients,
            color.range == .full ? 1 : 0, 0, 1 << 16, 1 << 16)
        let rows = media_scale(
            context, frame, target.y, Int32(target.yStride), target.u, Int32(target.uStride), target.v,
            Int32(target.vStride))
        guard rows == target.size.height else {
            throw EncodingError(subject, "sws_scale", code: min(rows, ff_end_of_file))
        }
    }
}
