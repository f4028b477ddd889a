internal import CMulticamMedia
import MulticamMedia

/// Encodes frames with x264 through libavcodec. Packet times are based on ticks of a frame rate.
///
/// A tick lasts `rate.seconds` units of the time scale `rate.frames`, so every tick of every rate is an integer.
/// Packets and parameter sets are in Annex B format (ITU-T H.264).
final class X264Stream: VideoStream {
    /// The purpose of the stream, which determines the encoding delay, key frames, and parameter sets.
    enum Purpose {
        /// A recorded file. B-frames and lookahead depend on the preset, parameter sets are separate from the
        /// packets, and there is a key frame at least every 2 s.
        case recording(threads: Int)
        /// A stream that takes over from a hardware encoder in the same file. Packets are in presentation
        /// order, as in the hardware stream. The parameter sets use an ID that no other encoder uses, so the
        /// file's sample description can contain the parameter sets of both encoders.
        case spare(threads: Int)
        /// A synthetic camera. Each frame is returned immediately, and there is a key frame every second.
        case camera(parameterSetsInBand: Bool)
        /// A live output. Each frame is returned immediately, the encoder has a target bit rate instead of a
        /// target quality, and there is a key frame every 2 s.
        case live(bitrate: Int)
    }

    let parameters: StreamParameters
    private let codec: OwnedCodec
    private let packet: OwnedPacket
    private let subject: String
    /// Number of frames sent to the encoder.
    private var sentCount = 0
    /// Presentation time of the first frame.
    private var first: Int64 = 0
    private var receivedCount = 0

    /// ID of the spare stream's sequence parameter set: the highest valid ID (ITU-T H.264, 7.4.2.1.1). Other
    /// encoders count their IDs from 0.
    private static let spareParameterSetID = 31

    /// Opens x264.
    ///
    /// - Parameters:
    ///   - subject: Name of the track, used in messages.
    ///   - size: Width × height in pixels, both even.
    ///   - rate: Frame rate of the stream.
    ///   - preset: Tradeoff between speed and size, as in x264's presets.
    ///   - origin: The original preset, if this stream continues an earlier one. The parameter sets must not
    ///     change, so the coding tools that they specify must not change either.
    ///   - quality: x264's constant rate factor, 0…51, lower is better.
    ///   - color: Color description of the frames, which is written to the stream.
    ///   - purpose: The purpose of the stream.
    /// - Throws: An error if the width or height is odd, or x264 is missing, rejects the settings, or can't allocate
    ///   memory.
    init(
        _ subject: String, size: FrameSize, rate: FrameRate, preset: VideoEncodingSettings.Preset,
        continuing origin: VideoEncodingSettings.Preset? = nil, quality: Int, color: ColorDescription,
        purpose: Purpose
    ) throws(EncodingError) {
        self.subject = subject
        guard size.width > 0, size.height > 0, size.width % 2 == 0, size.height % 2 == 0 else {
            throw EncodingError(
                subject: subject, operation: "opening x264",
                reason: "the size \(size) is odd; 4:2:0 requires an even width and height")
        }
        codec = try OwnedCodec(encoder: "libx264", subject: subject)
        packet = try OwnedPacket(subject)
        let context = codec.pointer
        context.pointee.width = Int32(size.width)
        context.pointee.height = Int32(size.height)
        context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        context.pointee.time_base = AVRational(num: 1, den: Int32(rate.frames))
        context.pointee.framerate = AVRational(num: Int32(rate.frames), den: Int32(rate.seconds))
        color.apply(to: context)
        try codec.set("preset", preset.x264Name)
        try codec.set("forced-idr", "1")
        var more = preset.x264Parameters(continuing: origin ?? preset)
        if case .live(let bitrate) = purpose {
            Self.limit(context, to: bitrate)
        } else {
            try codec.set("crf", "\(quality)")
        }
        switch purpose {
        case .recording(let threads):
            more += preset.x264LookaheadParameters(at: rate)
            context.pointee.thread_count = Int32(threads)
            context.pointee.gop_size = max(1, Int32(rounding: 2 * rate.perSecond, .down))
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        case .spare(let threads):
            context.pointee.thread_count = Int32(threads)
            context.pointee.gop_size = max(1, Int32(rounding: 2 * rate.perSecond, .down))
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
            context.pointee.max_b_frames = 0
            more += preset.x264LookaheadParameters(at: rate)
            more.append("sps-id=\(Self.spareParameterSetID)")
        case .camera(let parameterSetsInBand):
            context.pointee.thread_count = 1
            context.pointee.gop_size = max(1, Int32(rounding: rate.perSecond))
            if !parameterSetsInBand { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
            try codec.set("tune", "zerolatency")
            more.append("scenecut=0")
        case .live:
            context.pointee.thread_count = 2
            context.pointee.gop_size = max(1, Int32(rounding: 2 * rate.perSecond))
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
            try codec.set("tune", "zerolatency")
            more.append("scenecut=0")
        }
        if !more.isEmpty { try codec.set("x264-params", more.joined(separator: ":")) }
        try codec.open()
        parameters = StreamParameters(
            codec: .h264, timeScale: rate.frames, setup: codec.setup, size: size, rate: rate, color: color)
    }

    /// Changes the bit rate of a live stream starting with the next frame. The parameter sets don't change.
    /// libavcodec passes the new bit rate to x264 before it encodes the next frame.
    func change(bitrate: Int) { Self.limit(codec.pointer, to: bitrate) }

    /// Limits the bit rate. No frame may use more bits than are transmitted in two thirds of a second at this
    /// bit rate, so no frame takes long to send.
    private static func limit(_ context: UnsafeMutablePointer<AVCodecContext>, to bitrate: Int) {
        context.pointee.bit_rate = Int64(bitrate)
        context.pointee.rc_max_rate = Int64(bitrate)
        context.pointee.rc_buffer_size = Int32(clamping: bitrate / 3 * 2)
    }

    /// Encodes one frame. x264 copies the pixels before this method returns.
    ///
    /// - Parameters:
    ///   - frame: I420 frame, whose `pts` is set here.
    ///   - tick: Tick of the frame, higher than the previous one.
    ///   - asKey: Whether the frame must become an IDR frame.
    /// - Returns: The packets that are ready, in decoding order.
    /// - Throws: An error if libavcodec rejects the frame, as it does after a flush, or fails to return a
    ///   packet.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>, tick: Int64, asKey: Bool = false
    ) throws(EncodingError) -> [EncodedPacket] {
        let duration = parameters.rate?.seconds ?? 1
        frame.pointee.pts = tick * duration
        if sentCount == 0 { first = tick * duration }
        sentCount += 1
        frame.pointee.pict_type = asKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        return try send(frame, unless: { false })
    }

    func flush(unless isAbandoned: () -> Bool) throws(EncodingError) -> [EncodedPacket] {
        try send(nil, unless: isAbandoned)
    }

    /// Sends a frame, or `nil` to flush, and receives packets until none is ready. During a flush, receiving
    /// each packet takes the time of encoding one frame.
    private func send(
        _ frame: UnsafeMutablePointer<AVFrame>?, unless isAbandoned: () -> Bool
    ) throws(EncodingError) -> [EncodedPacket] {
        let duration = parameters.rate?.seconds ?? 1
        var result = avcodec_send_frame(codec.pointer, frame)
        guard result >= 0 else { throw EncodingError(subject, "avcodec_send_frame", code: result) }
        var packets: [EncodedPacket] = []
        while true {
            if isAbandoned() { return packets }
            result = avcodec_receive_packet(codec.pointer, packet.pointer)
            if result == ff_try_again || result == ff_end_of_file { return packets }
            guard result >= 0 else { throw EncodingError(subject, "avcodec_receive_packet", code: result) }
            let facts = packet.pointer.pointee
            packets.append(
                EncodedPacket(
                    bytes: try packet.detachBytes(subject), presentation: facts.pts,
                    decode: decodeTime(of: facts, duration), duration: duration,
                    isKey: facts.flags & AV_PKT_FLAG_KEY != 0))
            receivedCount += 1
        }
    }

    /// Returns the decoding time of a packet. libavcodec knows the delay between decoding and presentation
    /// only after x264 has received enough frames to fill the delay. In a shorter stream, the decoding times
    /// don't include the delay, so another stream couldn't continue it. Therefore, this method computes the
    /// decoding time itself.
    private func decodeTime(of facts: AVPacket, _ duration: Int64) -> Int64 {
        let delay = Int(codec.pointer.pointee.has_b_frames)
        guard sentCount <= delay else { return facts.dts }
        return first + Int64(receivedCount - delay) * duration
    }
}

/// A video encoder that converts frames to packets whose times are based on ticks of a frame rate. Not
/// thread-safe: use it from one thread only.
protocol VideoStream: AnyObject {
    var parameters: StreamParameters { get }

    /// Encodes one frame. The frame's pixels may be overwritten afterwards.
    ///
    /// - Parameters:
    ///   - frame: I420 frame of the stream's size.
    ///   - tick: Tick of the frame, higher than the previous one.
    ///   - asKey: Whether the frame must become an IDR frame.
    /// - Returns: The packets that are ready, in decoding order.
    /// - Throws: An error if the encoder fails.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>, tick: Int64, asKey: Bool
    ) throws(EncodingError) -> [EncodedPacket]

    /// Encodes the frames still in the encoder. The stream accepts no frames afterwards.
    ///
    /// - Parameter isAbandoned: A closure that is called before each frame. When it returns `true`, the
    ///   remaining frames are dropped. Hardware encoders ignore this closure and return all frames.
    /// - Returns: The last packets, in decoding order.
    /// - Throws: An error if the encoder fails.
    func flush(unless isAbandoned: () -> Bool) throws(EncodingError) -> [EncodedPacket]
}

extension VideoStream {
    /// Encodes all frames still in the encoder. The stream accepts no frames afterwards.
    ///
    /// - Returns: The last packets, in decoding order.
    /// - Throws: An error if the encoder fails.
    func flush() throws(EncodingError) -> [EncodedPacket] { try flush(unless: { false }) }
}

extension VideoEncodingSettings.Preset {
    /// Name of the x264 preset that is used, directly or as a base.
    var x264Name: String { self == .balanced ? Self.ultrafast.rawValue : rawValue }

    /// x264 options in addition to the preset, in the syntax of `x264-params`. x264's `param_apply_preset` in
    /// common/base.c lists the options that each preset sets.
    ///
    /// - Parameter origin: Preset that the stream started with. The coding tools specified in the stream's
    ///   parameter sets must remain enabled, because otherwise the parameter sets would change.
    /// - Returns: Names and values; empty if x264's preset is sufficient.
    func x264Parameters(continuing origin: Self) -> [String] {
        var parameters: [String] = []
        // These options cost little CPU time and save many bits: arithmetic coding, deblocking, small intra
        // blocks, and fewer bits for areas with much detail. B-frames aren't used, because they don't help
        // with camera noise, which can't be predicted.
        if self == .balanced {
            parameters += [
                "cabac=1", "8x8dct=1", "no-deblock=0", "deblock=0,0", "partitions=i8x8,i4x4", "subme=1",
                "aq-mode=1",
                "aq-strength=0.4",
            ]
        }
        // The `ultrafast` preset stays fast even with these options, because it searches little and doesn't
        // deblock.
        if self == .ultrafast, origin != .ultrafast { parameters += ["cabac=1", "8x8dct=1"] }
        if x264Name == Self.ultrafast.rawValue, origin.x264Name != Self.ultrafast.rawValue {
            parameters += ["bframes=3", "b-adapt=0", "b-pyramid=normal", "weightp=1", "weightb=1", "ref=1"]
        }
        return parameters
    }

    /// x264 options that limit how many frames are delayed in the encoder, because these frames are lost in a
    /// crash: a lookahead of at most 0.2 s, and no lookahead thread (`sync-lookahead`). B-frames and the
    /// second thread delay four more frames.
    ///
    /// - Parameter rate: Frame rate of the stream.
    /// - Returns: Names and values, in the syntax of `x264-params`.
    func x264LookaheadParameters(at rate: FrameRate) -> [String] {
        // x264's `param_apply_preset` in common/base.c: of the presets used here, only `veryfast` has a
        // lookahead.
        let usual = self == .veryfast ? 10 : 0
        return ["sync-lookahead=0", "rc-lookahead=\(min(usual, Int(rounding: rate.perSecond * 0.2, .up)))"]
    }
}
