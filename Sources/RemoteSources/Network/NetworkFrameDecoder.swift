internal import CMedia
internal import Media

/// Decodes video that cannot be recorded as it comes into I420. Belongs to the camera's thread.
final class NetworkFrameDecoder {
    /// A decoded frame.
    struct Frame {
        /// All planes, packed.
        let bytes: SharedBytes
        /// Time stamp of the packet that it was in, in the stream's time base.
        let stamp: Int64
    }

    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let size: FrameSize
    private let address: SourceAddress
    private var scaler: OpaquePointer?
    private var rejected = 0

    /// Packets in a row that may be damaged.
    private static let mostRejected = 500

    /// - Parameters:
    ///   - stream: The stream.
    ///   - size: The size of its frames.
    ///   - address: The camera, for sentences.
    /// - Throws: `SourceError.refused` when nothing here decodes it.
    init(
        _ stream: UnsafeMutablePointer<AVStream>, _ size: FrameSize, _ address: SourceAddress
    ) throws(SourceError) {
        let id = stream.pointee.codecpar?.pointee.codec_id ?? AV_CODEC_ID_NONE
        guard let decoder = avcodec_find_decoder(id), let codec = avcodec_alloc_context3(decoder),
            let frame = av_frame_alloc()
        else {
            throw .refused(
                "\(address) sends \(String(cString: avcodec_get_name(id))), which cannot be decoded here: set H.264 in the camera."
            )
        }
        (self.codec, self.frame, self.size, self.address) = (codec, frame, size, address)
        avcodec_parameters_to_context(codec, stream.pointee.codecpar)
        codec.pointee.pkt_timebase = stream.pointee.time_base
        codec.pointee.thread_count = 2
        guard avcodec_open2(codec, decoder, nil) >= 0 else {
            throw .refused("\(address) sends video that cannot be decoded: set H.264 in the camera.")
        }
    }

    deinit {
        var codec: UnsafeMutablePointer<AVCodecContext>? = codec
        avcodec_free_context(&codec)
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&frame)
        sws_freeContext(scaler)
    }

    /// Decodes a packet.
    ///
    /// - Returns: The frames that are ready.
    func decode(_ packet: UnsafeMutablePointer<AVPacket>) throws(SourceError) -> [Frame] {
        guard avcodec_send_packet(codec, packet) >= 0 else {
            rejected += 1
            guard rejected < Self.mostRejected else {
                throw .lost("\(address) sends nothing that can be decoded.")
            }
            return []
        }
        var frames: [Frame] = []
        while avcodec_receive_frame(codec, frame) >= 0 {
            rejected = 0
            guard frame.pointee.decode_error_flags == 0, (frame.pointee.flags & AV_FRAME_FLAG_CORRUPT) == 0
            else {
                continue
            }
            let decoded = FrameSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
            guard decoded == size else {
                throw .refused(
                    "\(address) sends frames of \(decoded) now, and sent \(size) before: set it back.")
            }
            if let bytes = packed() {
                frames.append(Frame(bytes: bytes, stamp: frame.pointee.best_effort_timestamp))
            }
        }
        return frames
    }

    private func packed() -> SharedBytes? {
        let (planes, count) = FramePlane.packed(.i420, size)
        scaler = sws_getCachedContext(
            scaler, frame.pointee.width, frame.pointee.height, AVPixelFormat(frame.pointee.format),
            frame.pointee.width, frame.pointee.height, AV_PIX_FMT_YUV420P, Int32(SWS_POINT), nil, nil, nil)
        guard let scaler else { return nil }
        let bytes = SharedBytes(count: count)
        let start = bytes.start.assumingMemoryBound(to: UInt8.self)
        let rows = media_scale(
            scaler, frame, start, Int32(planes[0].stride), start + planes[1].offset, Int32(planes[1].stride),
            start + planes[2].offset, Int32(planes[2].stride))
        return rows > 0 ? bytes : nil
    }
}
