internal import CMedia
import Media

/// Encodes with x264 by libavcodec: frames in, packets with the times of a frame rate's ticks out.
///
/// A tick lasts `rate.seconds` of the time scale `rate.frames`, so that every tick of every rate is a whole number.
/// Packets and parameter sets are Annex B (ITU-T H.264).
final class X264Stream: VideoStream {
    /// The use of the packets, which decides delay, key frames and parameter sets.
    enum Purpose {
        /// A file: B-frames and lookahead as in the preset, parameter sets apart from the packets, a key frame at least
        /// every 2 s.
        case recording(threads: Int)
        /// The stream that takes over from a hardware encoder in the same file: each frame comes out in the order of
        /// its time, as hardware's do, and the parameter sets have a number that no other encoder uses, so that both
        /// kinds can stand in the file's description.
        case spare(threads: Int)
        /// A synthetic camera: each frame comes out at once, with a key frame every second.
        case camera(parameterSetsInBand: Bool)
        /// Live output: each frame comes out at once, at a bit rate in place of a quality, with a key frame every 2 s.
        case live(bitrate: Int)
    }

    let parameters: StreamParameters
    private let codec: OwnedCodec
    private let packet: OwnedPacket
    private let subject: String
    /// Number of frames that went in.
    private var sentCount = 0
    /// Presentation time of the first frame.
    private var first: Int64 = 0
    private var receivedCount = 0

    /// Number of the spare's sequence parameter set: the last that there is (ITU-T H.264, 7.4.2.1.1). Encoders count
    /// from 0.
    private static let spareNumber = 31

    /// Opens x264.
    ///
    /// - Parameters:
    ///   - subject: The track, for messages.
    ///   - size: Width × height in pixels, both even.
    ///   - rate: Frame rate of the ticks.
    ///   - preset: Speed against size, as x264's presets.
    ///   - origin: The preset that the stream began with, where this stream continues it: its parameter sets stay, so
    ///     the coding tools that they name do.
    ///   - quality: x264's constant rate factor, 0…51, lower is better.
    ///   - color: Color description of the frames, which the stream states.
    ///   - purpose: The use of the packets.
    /// - Throws: When a side is odd, or x264 is missing, refuses the settings or finds no memory.
    init(
        _ subject: String, size: FrameSize, rate: FrameRate, preset: VideoEncodingSettings.Preset,
        continuing origin: VideoEncodingSettings.Preset? = nil, quality: Int, color: ColorDescription,
        purpose: Purpose
    ) throws(EncodingError) {
        self.subject = subject
        guard size.width > 0, size.height > 0, size.width % 2 == 0, size.height % 2 == 0 else {
            throw EncodingError(
                subject: subject, operation: "opening x264",
                reason: "\(size) has an odd side: 4:2:0 needs even ones")
        }
        codec = try OwnedCodec(encoder: "libx264", subject: subject)
        packet = try OwnedPacket(subject)
        let context = codec.pointer
        context.pointee.width = Int32(size.width)
        context.pointee.height = Int32(size.height)
        context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        context.pointee.time_base = AVRational(num: 1, den: Int32(rate.frames))
        context.pointee.framerate = AVRational(num: Int32(rate.frames), den: Int32(rate.seconds))
        color.describe(context)
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
            more += preset.x264ParametersOfHolding(at: rate)
            context.pointee.thread_count = Int32(threads)
            context.pointee.gop_size = max(1, Int32(rounding: 2 * rate.perSecond, .down))
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        case .spare(let threads):
            context.pointee.thread_count = Int32(threads)
            context.pointee.gop_size = max(1, Int32(rounding: 2 * rate.perSecond, .down))
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
            context.pointee.max_b_frames = 0
            more += preset.x264ParametersOfHolding(at: rate)
            more.append("sps-id=\(Self.spareNumber)")
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

    /// Changes the bit rate of a live stream from the next frame on; the parameter sets stay. libavcodec tells x264 before the frame.
    func change(bitrate: Int) { Self.limit(codec.pointer, to: bitrate) }

    /// No frame takes more than two thirds of a second of the bit rate, so that none waits long in the network.
    private static func limit(_ context: UnsafeMutablePointer<AVCodecContext>, to bitrate: Int) {
        context.pointee.bit_rate = Int64(bitrate)
        context.pointee.rc_max_rate = Int64(bitrate)
        context.pointee.rc_buffer_size = Int32(clamping: bitrate / 3 * 2)
    }

    /// Encodes one frame. x264 copies the pixels before this returns.
    ///
    /// - Parameters:
    ///   - frame: I420 frame, whose `pts` is set here; `nil` flushes, and the stream takes no more afterwards.
    ///   - tick: Tick of the frame, higher than the last one's.
    ///   - asKey: Whether the frame must become an IDR frame.
    /// - Returns: The packets that are ready, in decoding order.
    /// - Throws: When libavcodec refuses the frame, as after a flush, or cannot give a packet.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, tick: Int64, asKey: Bool = false
    ) throws(EncodingError) -> [EncodedPacket] {
        let duration = parameters.rate?.seconds ?? 1
        frame?.pointee.pts = tick * duration
        if frame != nil {
            if sentCount == 0 { first = tick * duration }
            sentCount += 1
        }
        frame?.pointee.pict_type = asKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        var result = avcodec_send_frame(codec.pointer, frame)
        guard result >= 0 else { throw EncodingError(subject, "avcodec_send_frame", code: result) }
        var packets: [EncodedPacket] = []
        while true {
            result = avcodec_receive_packet(codec.pointer, packet.pointer)
            if result == ff_try_again || result == ff_end_of_file { return packets }
            guard result >= 0 else { throw EncodingError(subject, "avcodec_receive_packet", code: result) }
            let facts = packet.pointer.pointee
            packets.append(
                EncodedPacket(
                    bytes: try packet.takeBytes(subject), presentation: facts.pts,
                    decode: decodeTime(of: facts, duration), duration: duration,
                    isKey: facts.flags & AV_PKT_FLAG_KEY != 0))
            receivedCount += 1
        }
    }

    /// Decoding time of a packet. x264 knows the delay between decoding and presentation only once it has taken that
    /// many frames; a stream that ends before has no delay in its times, and another stream could not go on from there,
    /// so the time is computed.
    private func decodeTime(of facts: AVPacket, _ duration: Int64) -> Int64 {
        let delay = Int(codec.pointer.pointee.has_b_frames)
        guard sentCount <= delay else { return facts.dts }
        return first + Int64(receivedCount - delay) * duration
    }
}
