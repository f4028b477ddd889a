internal import CMedia
import Media

/// An `AVCodecContext` with exactly one owner.
struct OwnedCodec: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecContext>
    let subject: String

    /// Allocates a context for an encoder by its libavcodec name, not opened yet.
    init(encoder name: String, subject: String) throws(EncodingError) {
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw EncodingError(
                subject: subject, operation: "avcodec_find_encoder_by_name",
                reason: "this libavcodec has no encoder \(name)")
        }
        try self.init(codec, subject: subject)
    }

    /// Allocates a context for a decoder, not opened yet.
    init(decoder identifier: AVCodecID, subject: String) throws(EncodingError) {
        guard let codec = avcodec_find_decoder(identifier) else {
            throw EncodingError(
                subject: subject, operation: "avcodec_find_decoder",
                reason: "this libavcodec has no decoder for \(String(cString: avcodec_get_name(identifier)))")
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
        // x264's own threads are made here.
        let result = MediaThread.ordinarily { avcodec_open2(pointer, nil, nil) }
        guard result >= 0 else { throw EncodingError(subject, "avcodec_open2", code: result) }
    }

    /// The codec's `extradata`, which a file has to store about the stream.
    var setup: [UInt8] {
        guard let data = pointer.pointee.extradata else { return [] }
        return Array(UnsafeBufferPointer(start: data, count: Int(pointer.pointee.extradata_size)))
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&context)
    }
}
