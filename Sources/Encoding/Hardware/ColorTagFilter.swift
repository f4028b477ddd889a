internal import CMedia
import Media

/// Writes the color description into a stream whose encoder does not, with libavcodec's filter `h264_metadata`.
final class ColorTagFilter {
    private var context: UnsafeMutablePointer<AVBSFContext>?
    private let packet: OwnedPacket
    private let subject: String

    /// The parameter sets with the color description, Annex B.
    let setup: [UInt8]

    /// Opens the filter.
    ///
    /// - Parameters:
    ///   - color: The color description to write.
    ///   - setup: The stream's parameter sets, Annex B.
    ///   - subject: The encoder, for messages.
    /// - Throws: When libavcodec has no such filter, or cannot read the parameter sets.
    init(_ color: ColorDescription, setup: [UInt8], subject: String) throws(EncodingError) {
        self.subject = subject
        packet = try OwnedPacket(subject)
        guard let filter = av_bsf_get_by_name("h264_metadata") else {
            throw EncodingError(
                subject: subject, operation: "av_bsf_get_by_name",
                reason: "this libavcodec has no h264_metadata")
        }
        var result = av_bsf_alloc(filter, &context)
        guard result >= 0, let context, let stream = context.pointee.par_in else {
            throw EncodingError(subject, "av_bsf_alloc", code: result)
        }
        stream.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        stream.pointee.codec_id = AV_CODEC_ID_H264
        // libavutil frees the memory with the filter, and requires padding behind it.
        guard let bytes = av_mallocz(setup.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            throw .outOfMemory(subject, "av_mallocz")
        }
        setup.withUnsafeBytes { source in
            if let start = source.baseAddress { bytes.copyMemory(from: start, byteCount: source.count) }
        }
        stream.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
        stream.pointee.extradata_size = Int32(setup.count)
        // ITU-T H.273's numbers: 1 is BT.709, 6 is SMPTE 170M, which is BT.601.
        let code = color.matrix == .bt709 ? "1" : "6"
        for (name, value) in [
            ("colour_primaries", code), ("transfer_characteristics", code), ("matrix_coefficients", code),
            ("video_full_range_flag", color.range == .full ? "1" : "0"),
        ] {
            result = av_opt_set(context.pointee.priv_data, name, value, 0)
            guard result >= 0 else {
                throw EncodingError(subject, "setting \(name) to \(value)", code: result)
            }
        }
        result = av_bsf_init(context)
        guard result >= 0, let tagged = context.pointee.par_out else {
            throw EncodingError(subject, "av_bsf_init", code: result)
        }
        self.setup = Array(
            UnsafeBufferPointer(
                start: tagged.pointee.extradata, count: Int(tagged.pointee.extradata_size)))
    }

    deinit {
        av_bsf_free(&context)
    }

    /// Filters one packet.
    ///
    /// - Parameter bytes: A packet of the stream; packets come in order.
    /// - Returns: The packet with the color description.
    /// - Throws: When the packet cannot be read.
    func apply(to bytes: SharedBytes) throws(EncodingError) -> SharedBytes {
        var result = av_new_packet(packet.pointer, Int32(clamping: bytes.count))
        guard result >= 0, let data = packet.pointer.pointee.data else {
            throw EncodingError(subject, "av_new_packet", code: result)
        }
        UnsafeMutableRawPointer(data).copyMemory(from: bytes.start, byteCount: bytes.count)
        result = av_bsf_send_packet(context, packet.pointer)
        guard result >= 0 else { throw EncodingError(subject, "av_bsf_send_packet", code: result) }
        result = av_bsf_receive_packet(context, packet.pointer)
        guard result >= 0 else { throw EncodingError(subject, "av_bsf_receive_packet", code: result) }
        return try packet.takeBytes(subject)
    }
}
