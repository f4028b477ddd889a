internal import CMulticamMedia
import MulticamMedia

/// Pool for the few frames that are in use by one hardware encoder. Not thread-safe: use it from one thread
/// only.
struct HardwareFrames {
    private let subject: String
    private let size: FrameSize
    private let layout: HardwareFrame.Layout
    private var all: [HardwareFrame] = []

    init(_ subject: String, size: FrameSize, layout: HardwareFrame.Layout) {
        self.subject = subject
        self.size = size
        self.layout = layout
    }

    /// Copies an I420 frame into a frame of the pool.
    ///
    /// - Returns: The copy, in memory that no other owner uses.
    mutating func copy(_ source: UnsafeMutablePointer<AVFrame>) throws(EncodingError) -> HardwareFrame {
        for index in all.indices where isKnownUniquelyReferenced(&all[index]) && all[index].isFree {
            try all[index].copyPixels(from: source, subject)
            return all[index]
        }
        let frame = try HardwareFrame(subject, size: size, layout: layout)
        try frame.copyPixels(from: source, subject)
        all.append(frame)
        return frame
    }
}

/// Composed frame in memory that a hardware encoder reads.
///
/// One thread writes the frame, and then another thread reads it. `HardwareFrames` reuses a frame only when
/// no other owner holds a reference.
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
    func copyPixels(from source: UnsafeMutablePointer<AVFrame>, _ subject: String) throws(EncodingError) {
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

/// A VAAPI device, which encodes frames in device memory, and a pool of that memory.
///
/// The device and the pool are released on deinitialization. Not thread-safe: use it from one thread only.
final class UploadDevice {
    private var device: UnsafeMutablePointer<AVBufferRef>?
    private var pool: UnsafeMutablePointer<AVBufferRef>?
    private let subject: String

    /// Number of frames in the device's memory pool: enough for the frames being encoded and their reference
    /// frame.
    private static let poolSize: Int32 = 8

    /// Opens a VAAPI device.
    ///
    /// - Parameters:
    ///   - node: The device node, such as `/dev/dri/renderD128`.
    ///   - size: Width × height of the frames in pixels.
    ///   - subject: Name of the encoder, used in messages.
    /// - Throws: An error if the driver can't be opened or can't allocate NV12 memory.
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

    /// Configures an encoder, before it is opened, to use frames from the device's pool.
    func attach(to context: UnsafeMutablePointer<AVCodecContext>) throws(EncodingError) {
        context.pointee.pix_fmt = AV_PIX_FMT_VAAPI
        context.pointee.hw_frames_ctx = av_buffer_ref(pool)
        guard context.pointee.hw_frames_ctx != nil else { throw .outOfMemory(subject, "av_buffer_ref") }
    }

    /// Copies a frame to the device.
    ///
    /// - Parameters:
    ///   - frame: An NV12 frame of the pool's size.
    ///   - target: An empty frame, which refers to the device's memory afterwards.
    /// - Throws: An error if the device runs out of memory or rejects the frame.
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
