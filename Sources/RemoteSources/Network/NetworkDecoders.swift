internal import CMulticamMedia
internal import MulticamMedia

/// Decodes video that can't be recorded as delivered. The output is I420. Use this type only on the camera's thread.
final class NetworkFrameDecoder {
    /// A decoded frame.
    struct Frame {
        /// All planes of the frame, packed.
        let bytes: SharedBytes
        /// Timestamp of the frame's packet, in the stream's time base.
        let stamp: Int64
    }

    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let size: FrameSize
    private let address: SourceAddress
    private var scaler: OpaquePointer?
    private var rejected = 0

    /// Maximum number of consecutive damaged packets.
    private static let mostRejected = 500

    /// Creates a decoder for a video stream.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - size: Size of the stream's frames.
    ///   - address: The camera's address, used in messages.
    /// - Throws: `SourceError.refused` if no decoder supports the stream.
    init(
        _ stream: UnsafeMutablePointer<AVStream>, _ size: FrameSize, _ address: SourceAddress
    ) throws(SourceError) {
        let id = stream.pointee.codecpar?.pointee.codec_id ?? AV_CODEC_ID_NONE
        guard let decoder = avcodec_find_decoder(id), let codec = avcodec_alloc_context3(decoder),
            let frame = av_frame_alloc()
        else {
            throw .refused(
                "\(address) sends \(String(cString: avcodec_get_name(id))), which this computer cannot decode. Set the camera to H.264."
            )
        }
        (self.codec, self.frame, self.size, self.address) = (codec, frame, size, address)
        avcodec_parameters_to_context(codec, stream.pointee.codecpar)
        codec.pointee.pkt_timebase = stream.pointee.time_base
        codec.pointee.thread_count = 2
        guard avcodec_open2(codec, decoder, nil) >= 0 else {
            throw .refused("\(address) sends video that cannot be decoded. Set the camera to H.264.")
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
    /// - Returns: The frames that the decoder has completed.
    func decode(_ packet: UnsafeMutablePointer<AVPacket>) throws(SourceError) -> [Frame] {
        guard avcodec_send_packet(codec, packet) >= 0 else {
            rejected += 1
            guard rejected < Self.mostRejected else {
                throw .lost("\(address) sends no data that can be decoded.")
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
                throw .changed(
                    "\(address) changed its frame size from \(size) to \(decoded). Restore the previous size in the camera's settings."
                )
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

/// Decodes a network camera's audio into interleaved floats. Use this type only on the camera's thread.
final class NetworkAudioDecoder {
    /// A slice of decoded audio.
    struct Slice {
        /// Interleaved samples.
        let samples: [Float]
        /// Timestamp of the first sample, in the stream's time base.
        let stamp: Int64
        /// Index of the first sample. Audio missing before this slice causes a jump in the index.
        let first: Int64
    }

    /// Format of the decoded audio.
    let format: AudioFormat
    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let base: AVRational
    private var converter: OpaquePointer?
    private var count: Int64 = 0
    /// Expected timestamp of the next slice.
    private var due: Nanoseconds?

    /// Maximum deviation of a timestamp that is attributed to rounding in the stream.
    private static let tolerance = Nanoseconds.milliseconds(60)

    /// Creates a decoder for an audio stream.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - address: The camera's address, used in messages.
    /// - Throws: `SourceError.refused` if no decoder supports the stream.
    init(_ stream: UnsafeMutablePointer<AVStream>, _ address: SourceAddress) throws(SourceError) {
        let id = stream.pointee.codecpar?.pointee.codec_id ?? AV_CODEC_ID_NONE
        guard let parameters = stream.pointee.codecpar, let decoder = avcodec_find_decoder(id),
            let codec = avcodec_alloc_context3(decoder), let frame = av_frame_alloc()
        else {
            throw .refused(
                "\(address) sends audio that this computer cannot decode. Set the camera to AAC or G.711.")
        }
        (self.codec, self.frame, base) = (codec, frame, stream.pointee.time_base)
        avcodec_parameters_to_context(codec, parameters)
        codec.pointee.pkt_timebase = base
        let rate = Int(parameters.pointee.sample_rate)
        format = AudioFormat(
            rate: (8000...192_000).contains(rate) ? rate : 48_000,
            channels: min(max(Int(parameters.pointee.ch_layout.nb_channels), 1), 8))
        guard avcodec_open2(codec, decoder, nil) >= 0 else {
            throw .refused("\(address) sends audio that cannot be decoded. Set the camera to AAC or G.711.")
        }
    }

    deinit {
        var codec: UnsafeMutablePointer<AVCodecContext>? = codec
        avcodec_free_context(&codec)
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&frame)
        swr_free(&converter)
    }

    /// Records that the timestamps have a new origin. As a result, the next timestamp isn't used to detect
    /// missing audio.
    func interrupt() { due = nil }

    /// Decodes a packet.
    ///
    /// - Returns: The audio that the decoder has completed.
    func decode(_ packet: UnsafeMutablePointer<AVPacket>) throws(SourceError) -> [Slice] {
        guard avcodec_send_packet(codec, packet) >= 0 else { return [] }
        var slices: [Slice] = []
        while avcodec_receive_frame(codec, frame) >= 0 {
            let stamp = frame.pointee.best_effort_timestamp
            guard stamp != ff_no_timestamp, let samples = converted(), !samples.isEmpty else { continue }
            let time = Nanoseconds(av_rescale_q(stamp, base, AVRational(num: 1, den: 1_000_000_000)))
            if let due, time - due > Self.tolerance, time - due < .seconds(3600) {
                count += Int64(rounding: (time - due).inSeconds * Double(format.rate))
            }
            let length = Int64(samples.count / format.channels)
            slices.append(Slice(samples: samples, stamp: stamp, first: count))
            count += length
            due = time + .duration(of: length, perSecond: Int64(format.rate))
        }
        return slices
    }

    private func converted() -> [Float]? {
        if converter == nil {
            var layout = AVChannelLayout()
            av_channel_layout_default(&layout, Int32(format.channels))
            var input = frame.pointee.ch_layout
            guard
                swr_alloc_set_opts2(
                    &converter, &layout, AV_SAMPLE_FMT_FLT, Int32(format.rate), &input,
                    AVSampleFormat(frame.pointee.format), frame.pointee.sample_rate, 0, nil) >= 0,
                swr_init(converter) >= 0
            else { return nil }
        }
        let room = Int(swr_get_out_samples(converter, frame.pointee.nb_samples))
        guard room > 0, room < 1 << 20 else { return nil }
        var samples = [Float](repeating: 0, count: room * format.channels)
        let count = samples.withUnsafeMutableBytes { memory in
            var start = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return media_convert_sound(converter, &start, Int32(room), frame)
        }
        guard count > 0 else { return nil }
        samples.removeLast(samples.count - Int(count) * format.channels)
        return samples
    }
}

extension ColorDescription {
    /// Returns the colors that a stream declares. If none are declared, returns the colors that players assume.
    init(of parameters: UnsafeMutablePointer<AVCodecParameters>) {
        let isFull =
            parameters.pointee.color_range == AVCOL_RANGE_JPEG
            || media_is_full_range(parameters.pointee.format) != 0
        let matrix: Matrix =
            switch parameters.pointee.color_space {
            case AVCOL_SPC_BT709: .bt709
            case AVCOL_SPC_SMPTE170M, AVCOL_SPC_BT470BG, AVCOL_SPC_FCC: .bt601
            default: parameters.pointee.height >= 720 ? .bt709 : .bt601
            }
        self.init(matrix: matrix, range: isFull ? .full : .limited)
    }
}
