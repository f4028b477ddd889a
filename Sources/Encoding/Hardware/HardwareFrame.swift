internal import CMedia
import Media

/// A composed frame in memory that a hardware encoder reads.
///
/// One thread writes it, then another reads it: `HardwareFrames` reuses it only when nobody else holds it.
final class HardwareFrame: @unchecked Sendable {
    enum Layout: Sendable {
        case nv12, i420

        var pixel: AVPixelFormat { self == .nv12 ? AV_PIX_FMT_NV12 : AV_PIX_FMT_YUV420P }
    }

    private let frame: OwnedFrame
    private let layout: Layout

    init(_ subject: String, size: FrameSize, layout: Layout) throws(EncodingError) {
        self.layout = layout
        frame = try OwnedFrame(subject)
        frame.pointer.pointee.format = layout.pixel.rawValue
        frame.pointer.pointee.width = Int32(size.width)
        frame.pointer.pointee.height = Int32(size.height)
        let result = av_frame_get_buffer(frame.pointer, 0)
        guard result >= 0 else { throw EncodingError(subject, "av_frame_get_buffer", code: result) }
    }

    var pointer: UnsafeMutablePointer<AVFrame> { frame.pointer }

    /// Whether libavcodec has released the pixels.
    var isFree: Bool { av_frame_is_writable(frame.pointer) > 0 }

    /// Copies an I420 frame of the same size into this frame's layout.
    func take(_ source: UnsafeMutablePointer<AVFrame>, _ subject: String) throws(EncodingError) {
        let (from, to) = (source.pointee, frame.pointer.pointee)
        let result =
            layout == .nv12
            ? I420ToNV12(
                from.data.0, from.linesize.0, from.data.1, from.linesize.1, from.data.2, from.linesize.2,
                to.data.0, to.linesize.0, to.data.1, to.linesize.1, to.width, to.height)
            : I420Copy(
                from.data.0, from.linesize.0, from.data.1, from.linesize.1, from.data.2, from.linesize.2,
                to.data.0, to.linesize.0, to.data.1, to.linesize.1, to.data.2, to.linesize.2, to.width,
                to.height)
        guard result == 0 else {
            throw EncodingError(subject: subject, operation: "I420ToNV12", reason: "a frame has no planes")
        }
        frame.pointer.pointee.color_range = from.color_range
    }
}
