internal import CMedia
import Media

/// Makes I420 frames of a decoder's output: lent where the memory allows it, else copied or converted.
final class FileFrames {
    private let subject: String
    private let scaler: FrameScaler

    init(_ subject: String) {
        self.subject = subject
        scaler = FrameScaler(subject)
    }

    /// Makes one frame.
    ///
    /// - Parameters:
    ///   - frame: A decoded frame; it is empty afterwards when its memory is lent.
    ///   - capturedAt: Capture time of the frame.
    ///   - sequence: Number of the frame.
    /// - Returns: An I420 frame that owns its memory.
    /// - Throws: When memory is short, the frame has no planes or swscale cannot convert it.
    func frame(
        of frame: UnsafeMutablePointer<AVFrame>, capturedAt: ClockTime, sequence: Int64
    ) throws(EncodingError) -> CapturedFrame {
        let facts = frame.pointee
        let size = FrameSize(width: Int(facts.width), height: Int(facts.height))
        let pixel = AVPixelFormat(facts.format)
        let color = ColorDescription(
            matrix: facts.colorspace, range: facts.color_range, pixel: pixel, height: size.height)
        let isKey = media_is_key(frame) != 0
        guard pixel == AV_PIX_FMT_YUV420P || pixel == AV_PIX_FMT_YUVJ420P else {
            return try converted(frame, size, color, capturedAt, sequence, isKey)
        }
        let found: (memory: SharedBytes, planes: [FramePlane])
        if let lent = try lent(frame) { found = lent } else { found = try copied(frame, size) }
        return CapturedFrame(
            pixel: .i420, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: found.memory, planes: found.planes, isOwned: true)
    }

    /// Lends the decoder's memory without a copy, if all planes lie in one buffer and none is upside down; else `nil`.
    private func lent(
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
        nonisolated(unsafe) let held = kept  // Only the release closure touches it again.
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
            throw EncodingError(subject: subject, operation: "I420Copy", reason: "the decoder gave no planes")
        }
        return (memory, planes)
    }

    private func converted(
        _ frame: UnsafeMutablePointer<AVFrame>, _ size: FrameSize, _ color: ColorDescription,
        _ capturedAt: ClockTime,
        _ sequence: Int64, _ isKey: Bool
    ) throws(EncodingError) -> CapturedFrame {
        // RGB has no matrix of its own; JPEG's full-range one loses nothing.
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
