internal import CMedia
import Media

/// A VAAPI device that encodes frames in memory of its own, and a pool of such memory.
///
/// Releases both at its end. Used by one thread alone.
final class UploadDevice {
    private var device: UnsafeMutablePointer<AVBufferRef>?
    private var pool: UnsafeMutablePointer<AVBufferRef>?
    private let subject: String

    /// Number of frames that the device may hold at once: those that it encodes, and the one that they refer to.
    private static let poolSize: Int32 = 8

    /// Opens a device.
    ///
    /// - Parameters:
    ///   - node: The device node, such as `/dev/dri/renderD128`.
    ///   - size: Width × height of the frames in pixels.
    ///   - subject: The encoder, for messages.
    /// - Throws: When the driver cannot be opened, or has no memory for NV12.
    init(vaapi node: String, size: FrameSize, subject: String) throws(EncodingError) {
        self.subject = subject
        var result = av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VAAPI, node, nil, 0)
        guard result >= 0, let device else { throw EncodingError(subject, "opening \(node)", code: result) }
        guard let frames = av_hwframe_ctx_alloc(device) else {
            throw .outOfMemory(subject, "av_hwframe_ctx_alloc")
        }
        pool = frames
        frames.pointee.data.withMemoryRebound(to: AVHWFramesContext.self, capacity: 1) { context in
            context.pointee.format = AV_PIX_FMT_VAAPI
            context.pointee.sw_format = AV_PIX_FMT_NV12
            context.pointee.width = Int32(size.width)
            context.pointee.height = Int32(size.height)
            context.pointee.initial_pool_size = Self.poolSize
        }
        result = av_hwframe_ctx_init(frames)
        guard result >= 0 else { throw EncodingError(subject, "av_hwframe_ctx_init", code: result) }
    }

    /// Tells an encoder, before it is opened, that its frames come from the device's pool.
    func attach(to context: UnsafeMutablePointer<AVCodecContext>) throws(EncodingError) {
        context.pointee.pix_fmt = AV_PIX_FMT_VAAPI
        context.pointee.hw_frames_ctx = av_buffer_ref(pool)
        guard context.pointee.hw_frames_ctx != nil else { throw .outOfMemory(subject, "av_buffer_ref") }
    }

    /// Copies a frame to the device.
    ///
    /// - Parameters:
    ///   - frame: NV12 frame of the pool's size.
    ///   - target: An empty frame; it holds the device's memory afterwards.
    /// - Throws: When the device has no memory left, or refuses the frame.
    func upload(
        _ frame: UnsafeMutablePointer<AVFrame>, to target: UnsafeMutablePointer<AVFrame>
    ) throws(EncodingError) {
        var result = av_hwframe_get_buffer(pool, target, 0)
        guard result >= 0 else { throw EncodingError(subject, "av_hwframe_get_buffer", code: result) }
        result = av_hwframe_transfer_data(target, frame, 0)
        guard result >= 0 else { throw EncodingError(subject, "av_hwframe_transfer_data", code: result) }
        target.pointee.color_range = frame.pointee.color_range
    }

    deinit {
        var (pool, device) = (pool, device)
        av_buffer_unref(&pool)
        av_buffer_unref(&device)
    }
}
