internal import CMedia
import Media

/// Reads an encoded stream back with libavcodec's own decoder, as a player would. Used by one thread alone.
final class StreamReading {
    private let codec: OwnedCodec
    private let packet: OwnedPacket
    private let decoded: OwnedFrame
    private let subject: String
    private var setup: [UInt8]

    /// A decoded frame, valid only during the call that it is passed to.
    struct Frame {
        let presentation: Int64
        let size: FrameSize
        /// Color description in the stream; `nil` where the stream does not state it.
        let color: ColorDescription?
        /// The frame's I420 planes.
        let planes: Planes
    }

    /// Opens the decoder.
    ///
    /// - Parameters:
    ///   - setup: The parameter sets, Annex B.
    ///   - subject: The encoder, for messages.
    /// - Throws: When libavcodec has no decoder, or memory is short.
    init(setup: [UInt8], subject: String) throws(EncodingError) {
        self.subject = subject
        self.setup = setup
        codec = try OwnedCodec(decoder: AV_CODEC_ID_H264, subject: subject)
        codec.pointer.pointee.thread_count = 1
        try codec.open()
        packet = try OwnedPacket(subject)
        decoded = try OwnedFrame(subject)
    }

    /// Decodes one packet, or flushes.
    ///
    /// - Parameters:
    ///   - coded: The packet; `nil` takes the frames that are still inside.
    ///   - look: Called for each frame that is ready, in the order of their times.
    /// - Throws: When the packet cannot be decoded without errors.
    func read(_ coded: EncodedPacket?, _ look: (Frame) -> Void) throws(EncodingError) {
        if let coded {
            let bytes = setup + withExtendedLifetime(coded) { Array(coded.bytes.bytes) }
            setup = []
            let result = av_new_packet(packet.pointer, Int32(clamping: bytes.count))
            guard result >= 0, let data = packet.pointer.pointee.data else {
                throw EncodingError(subject, "av_new_packet", code: result)
            }
            bytes.withUnsafeBytes { source in
                if let start = source.baseAddress {
                    UnsafeMutableRawPointer(data).copyMemory(from: start, byteCount: source.count)
                }
            }
            packet.pointer.pointee.pts = coded.presentation
            packet.pointer.pointee.dts = coded.decode
        }
        defer { av_packet_unref(packet.pointer) }
        let result = avcodec_send_packet(codec.pointer, coded == nil ? nil : packet.pointer)
        guard result >= 0 else { throw unreadable(result) }
        while true {
            let result = avcodec_receive_frame(codec.pointer, decoded.pointer)
            if result == ff_try_again || result == ff_end_of_file { return }
            guard result >= 0 else { throw unreadable(result) }
            guard decoded.pointer.pointee.decode_error_flags == 0 else { throw unreadable(ff_invalid_data) }
            look(try frame())
        }
    }

    private func unreadable(_ code: Int32) -> EncodingError {
        let error = EncodingError(subject, "", code: code)
        return EncodingError(
            subject: subject, operation: "reading back its stream", reason: error.reason)
    }

    private func frame() throws(EncodingError) -> Frame {
        let facts = decoded.pointer.pointee
        let pixel = AVPixelFormat(facts.format)
        guard pixel == AV_PIX_FMT_YUV420P || pixel == AV_PIX_FMT_YUVJ420P, let y = facts.data.0,
            let u = facts.data.1, let v = facts.data.2
        else {
            throw EncodingError(
                subject: subject, operation: "reading back its stream",
                reason: "its frames are not 4:2:0 of 8 bits")
        }
        let size = FrameSize(width: Int(facts.width), height: Int(facts.height))
        let isTagged =
            facts.colorspace != AVCOL_SPC_UNSPECIFIED && facts.color_primaries != AVCOL_PRI_UNSPECIFIED
            && facts.color_trc != AVCOL_TRC_UNSPECIFIED && facts.color_range != AVCOL_RANGE_UNSPECIFIED
        return Frame(
            presentation: facts.pts, size: size,
            color: isTagged
                ? ColorDescription(
                    matrix: facts.colorspace, range: facts.color_range, pixel: pixel, height: size.height)
                : nil,
            planes: Planes(
                y: y, u: u, v: v, yStride: Int(facts.linesize.0), uStride: Int(facts.linesize.1),
                vStride: Int(facts.linesize.2), size: size, horizontalShift: 1, verticalShift: 1))
    }
}
