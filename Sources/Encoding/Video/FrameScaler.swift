internal import CMedia
import Media

/// Converts pixel formats that libyuv does not know with swscale: slow, and only used where no camera waits.
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
    ///   - frame: The frame; it is only read.
    ///   - source: Color description of the frame.
    ///   - target: 4:2:0 planes of any size; the frame is scaled to it.
    ///   - color: Color description of the target.
    /// - Throws: When swscale does not know the pixel format or fails.
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
