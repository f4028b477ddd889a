internal import CMulticamMedia
import MulticamMedia

/// An `AVCodecContext` with exactly one owner.
struct OwnedCodec: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    let subject: String

    /// Allocates an unopened context for the encoder with this libavcodec name.
    init(encoder name: String, subject: String) throws(EncodingError) {
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw EncodingError(
                subject: subject, operation: "avcodec_find_encoder_by_name",
                reason: "the installed libavcodec does not have the encoder \(name)")
        }
        try self.init(codec, subject: subject)
    }

    /// Allocates an unopened context for a decoder.
    init(decoder identifier: AVCodecID, subject: String) throws(EncodingError) {
        guard let codec = avcodec_find_decoder(identifier) else {
            throw EncodingError(
                subject: subject, operation: "avcodec_find_decoder",
                reason:
                    "the installed libavcodec does not have a decoder for \(String(cString: avcodec_get_name(identifier)))"
            )
        }
        try self.init(codec, subject: subject)
    }

    private init(_ codec: UnsafePointer<AVCodec>, subject: String) throws(EncodingError) {
        LibraryLog.silenced
        guard let context = avcodec_alloc_context3(codec) else {
            throw .outOfMemory(subject, "avcodec_alloc_context3")
        }
        pointer = context
        self.subject = subject
    }

    /// Sets one of the codec's private options.
    func set(_ option: String, _ value: String) throws(EncodingError) {
        let result = av_opt_set(pointer.pointee.priv_data, option, value, 0)
        guard result >= 0 else { throw EncodingError(subject, "setting \(option) to \(value)", code: result) }
    }

    func open() throws(EncodingError) {
        // x264 starts its threads during this call.
        let result = MediaThread.withNormalPriority { avcodec_open2(pointer, nil, nil) }
        guard result >= 0 else { throw EncodingError(subject, "avcodec_open2", code: result) }
    }

    /// The codec's `extradata`, which a file must store with the stream.
    var setup: [UInt8] {
        guard let data = pointer.pointee.extradata else { return [] }
        return Array(UnsafeBufferPointer(start: data, count: Int(pointer.pointee.extradata_size)))
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&context)
    }
}

/// An `AVFrame` with exactly one owner.
struct OwnedFrame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init(_ subject: String) throws(EncodingError) {
        guard let frame = av_frame_alloc() else { throw .outOfMemory(subject, "av_frame_alloc") }
        pointer = frame
    }

    /// Creates a view of a packed I420 frame. The memory must outlive this value.
    init(_ memory: SharedBytes, _ size: FrameSize, _ subject: String) throws(EncodingError) {
        try self.init(subject)
        let planes = Planes(i420: memory, size: size)
        pointer.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        pointer.pointee.width = Int32(size.width)
        pointer.pointee.height = Int32(size.height)
        pointer.pointee.data.0 = planes.y
        pointer.pointee.data.1 = planes.u
        pointer.pointee.data.2 = planes.v
        pointer.pointee.linesize.0 = Int32(planes.yStride)
        pointer.pointee.linesize.1 = Int32(planes.uStride)
        pointer.pointee.linesize.2 = Int32(planes.vStride)
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }
}

/// An `AVPacket` with exactly one owner.
struct OwnedPacket: ~Copyable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init(_ subject: String) throws(EncodingError) {
        guard let packet = av_packet_alloc() else { throw .outOfMemory(subject, "av_packet_alloc") }
        pointer = packet
    }

    /// Returns the packet's bytes without copying them. The packet is empty afterwards. The returned object
    /// keeps the library's memory alive.
    func detachBytes(_ subject: String) throws(EncodingError) -> SharedBytes {
        guard let kept = av_packet_alloc() else { throw .outOfMemory(subject, "av_packet_alloc") }
        // A packet that isn't reference-counted is copied by this call, so that the data outlives the packet.
        let result = av_packet_make_refcounted(pointer)
        guard result >= 0, let data = pointer.pointee.data else {
            var unused: UnsafeMutablePointer<AVPacket>? = kept
            av_packet_free(&unused)
            throw EncodingError(
                subject, "av_packet_make_refcounted", code: min(result, ff_error_from_errno(22)))
        }
        av_packet_move_ref(kept, pointer)
        nonisolated(unsafe) let held = kept  // only the release closure accesses it afterwards
        return SharedBytes(start: data, count: Int(kept.pointee.size)) {
            var packet: UnsafeMutablePointer<AVPacket>? = held
            av_packet_free(&packet)
        }
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&packet)
    }
}
