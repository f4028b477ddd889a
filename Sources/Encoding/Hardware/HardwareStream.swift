internal import CMulticamMedia
import MulticamMedia

/// Video stream from a hardware encoder. The encoder is tested before the stream starts, and each frame of
/// its output is checked. Not thread-safe: use it from one thread only.
///
/// The packets meet the same contract as those of x264: tick times, decoding in presentation order, separate
/// parameter sets, and the color description in the parameter sets. A frame that is missing, several seconds
/// late, or out of order causes an error. The caller then continues without the hardware encoder.
final class HardwareStream: VideoStream {
    let parameters: StreamParameters
    /// Whether `ColorTagFilter` must add the color description, because the encoder doesn't write one.
    let lacksColorTags: Bool
    private let coder: CoderThread
    private var frames: HardwareFrames
    private var stream: CodedStream

    /// Rehearses the stream, and then opens the encoder.
    ///
    /// - Parameters:
    ///   - name: Name of the encoder, used in messages.
    ///   - settings: Settings of the stream. Width and height must be even, and the color description must be set.
    ///   - spare: Parameter sets of the x264 stream that takes over if the hardware fails. The file must
    ///     contain these parameter sets in addition to the hardware's.
    ///   - frameTimeout: Maximum time per frame.
    ///   - open: Closure that opens the encoder; called once for the rehearsal and once for the stream.
    /// - Throws: An error if the hardware fails to open, doesn't respond, or produces incorrect output.
    init(
        _ name: String, _ settings: VideoEncodingSettings, spare: [UInt8] = [],
        frameTimeout: Nanoseconds = CoderThread.defaultFrameTimeout, open: @escaping HardwareCoderFactory
    ) throws(EncodingError) {
        let color = settings.color ?? .bt709Limited
        let rehearsal = try HardwareProbe(name, settings, frameTimeout: frameTimeout, open: open)
        lacksColorTags = rehearsal.filter != nil
        coder = try CoderThread(name, settings, frameTimeout: frameTimeout, open: open)
        guard let opened = coder.opened else { preconditionFailure("the encoder must be open") }
        frames = HardwareFrames(name, size: settings.size, layout: opened.layout)
        stream = CodedStream(
            name, rate: settings.rate,
            filter: rehearsal.filter)
        parameters = StreamParameters(
            codec: .h264, timeScale: settings.rate.frames, setup: rehearsal.setup + spare,
            size: settings.size, rate: settings.rate, color: color)
    }

    func encode(
        _ composed: UnsafeMutablePointer<AVFrame>, tick: Int64, asKey: Bool
    ) throws(EncodingError) -> [EncodedPacket] {
        let presentation = tick * (parameters.rate?.seconds ?? 1)
        let frame = try frames.copy(composed)
        stream.expect(presentation)
        return try stream.convert(try coder.encode(frame, presentation: presentation, asKey: asKey))
    }

    func flush(unless isAbandoned: () -> Bool) throws(EncodingError) -> [EncodedPacket] {
        try stream.convert(try coder.flush(), isLast: true)
    }
}

/// Interface of a hardware H.264 encoder: a device accessed through libavcodec, or a substitute in a test.
///
/// The encoder's output isn't trusted, so `HardwareStream` checks it.
protocol HardwareCoding: AnyObject {
    /// Frame layout that the encoder requires.
    var layout: HardwareFrame.Layout { get }
    /// Parameter sets in Annex B format, if the encoder provides them before the first frame; otherwise empty.
    var setup: [UInt8] { get }

    /// Encodes one frame, or flushes the encoder.
    ///
    /// - Parameters:
    ///   - frame: A frame that isn't modified while the encoder holds it; `nil` flushes the encoder.
    ///   - presentation: Presentation time in the stream's time scale, increasing from frame to frame.
    ///   - asKey: Whether the frame must become an IDR frame.
    /// - Returns: The coded frames that are ready, in Annex B format.
    /// - Throws: An error if the device fails. The device isn't used again afterwards.
    func encode(_ frame: HardwareFrame?, presentation: Int64, asKey: Bool) throws(EncodingError)
        -> [CodedFrame]
}

/// An encoded frame returned by a hardware encoder, with its presentation time in the stream's time scale.
struct CodedFrame: Sendable {
    let bytes: SharedBytes
    let presentation: Int64
}

/// Opens an encoder for a stream, on the thread that will use it.
typealias HardwareCoderFactory = @Sendable (VideoEncodingSettings) throws(EncodingError) -> any HardwareCoding

/// Encodes a few frames before a stream starts, to find out whether the hardware supports the stream and to get the
/// parameter sets that the file needs.
///
/// V4L2 encoders provide their parameter sets only with the first frame. Some devices reject certain frame
/// sizes or rates, or reject another simultaneous stream. The rehearsal detects such failures before the
/// stream starts, when x264 can still encode the whole stream.
struct HardwareProbe {
    /// Parameter sets with the color description, in Annex B format.
    let setup: [UInt8]
    /// Filter that adds the color description to the stream's packets; `nil` if the encoder writes the color
    /// description.
    let filter: ColorTagFilter?

    /// Luma code values of the test frames. The values differ enough that decoded frames can't be confused.
    private static let levels: [UInt8] = [40, 200, 80, 160, 120]
    /// Maximum error of a frame's mean luma, in code values.
    private static let tolerance = 6.0

    /// Rehearses a stream. The encoder is closed again before the initializer returns.
    ///
    /// - Parameters:
    ///   - subject: Name of the encoder, used in messages.
    ///   - settings: Settings of the stream, with a color description.
    ///   - frameTimeout: Maximum time that the encoder may take per frame.
    ///   - open: Closure that opens the encoder.
    /// - Throws: An error with the reason if the hardware can't encode this stream.
    init(
        _ subject: String, _ settings: VideoEncodingSettings, frameTimeout: Nanoseconds,
        open: @escaping HardwareCoderFactory
    ) throws(EncodingError) {
        let color = settings.color ?? .bt709Limited
        let coder = try CoderThread(subject, settings, frameTimeout: frameTimeout, open: open)
        guard let opened = coder.opened else { preconditionFailure("the encoder must be open") }
        var stream = CodedStream(subject, rate: settings.rate, filter: nil)
        var packets: [EncodedPacket] = []
        var frames = HardwareFrames(subject, size: settings.size, layout: opened.layout)
        let canvas = SharedBytes(count: FramePlane.packed(.i420, settings.size).byteCount)
        for (index, level) in Self.levels.enumerated() {
            let presentation = Int64(index) * settings.rate.seconds
            Planes(i420: canvas, size: settings.size).fill(YCbCr(y: level, cb: 128, cr: 128))
            let painted = try OwnedFrame(canvas, settings.size, subject)
            let frame = try withExtendedLifetime(canvas) { () throws(EncodingError) in
                try frames.copy(painted.pointer)
            }
            stream.expect(presentation)
            packets += try stream.convert(
                try coder.encode(frame, presentation: presentation, asKey: index == 0))
        }
        packets += try stream.convert(try coder.flush(), isLast: true)
        try coder.close()

        guard let first = packets.first, first.isKey else {
            throw Self.probeError(subject, "the first encoded frame is not a key frame")
        }
        let own = CodedUnits(first.bytes).parameterSets
        let setup = own.isEmpty ? opened.setup : own
        guard !setup.isEmpty else {
            throw Self.probeError(subject, "the encoder does not provide parameter sets")
        }
        var isTagged = true
        try Self.check(packets, setup, settings.size, subject) { frame in
            if frame.color != color { isTagged = false }
        }
        filter = isTagged ? nil : try ColorTagFilter(color, setup: setup, subject: subject)
        self.setup = filter?.setup ?? setup
    }

    private static func check(
        _ packets: [EncodedPacket], _ setup: [UInt8], _ size: FrameSize, _ subject: String,
        _ look: (EncodedStreamDecoder.Frame) -> Void
    ) throws(EncodingError) {
        let reading = try EncodedStreamDecoder(setup: setup, subject: subject)
        var found: [(size: FrameSize, luma: Double)] = []
        for packet in packets + [nil] {
            try reading.decode(packet) { frame in
                let luma = media_mean_byte(
                    frame.planes.y, frame.planes.yStride, Int32(frame.size.width),
                    Int32(frame.size.height), 8, 8)
                found.append((frame.size, luma))
                look(frame)
            }
        }
        if let other = found.first(where: { $0.size != size }) {
            throw probeError(subject, "the encoded frames have the size \(other.size) instead of \(size)")
        }
        guard found.count == levels.count,
            zip(found, levels).allSatisfy({ abs($0.luma - Double($1)) < tolerance })
        else {
            throw probeError(subject, "the output frames do not match the input frames")
        }
    }

    private static func probeError(_ subject: String, _ reason: String) -> EncodingError {
        EncodingError(subject: subject, operation: "testing the encoder", reason: reason)
    }
}

/// Decodes an encoded stream with libavcodec's software decoder, as a player does. Not thread-safe: use it from one
/// thread only.
final class EncodedStreamDecoder {
    private let codec: OwnedCodec
    private let packet: OwnedPacket
    private let decoded: OwnedFrame
    private let subject: String
    private var setup: [UInt8]

    /// A decoded frame, valid only during the callback that receives it.
    struct Frame {
        let presentation: Int64
        let size: FrameSize
        /// Color description in the stream; `nil` if the stream doesn't state it.
        let color: ColorDescription?
        /// I420 planes of the frame.
        let planes: Planes
    }

    /// Opens the decoder.
    ///
    /// - Parameters:
    ///   - setup: Parameter sets in Annex B format.
    ///   - subject: Name of the encoder, used in messages.
    /// - Throws: An error if libavcodec doesn't include an H.264 decoder, or memory allocation fails.
    init(setup: [UInt8], subject: String) throws(EncodingError) {
        self.subject = subject
        self.setup = setup
        codec = try OwnedCodec(decoder: AV_CODEC_ID_H264, subject: subject)
        codec.pointer.pointee.thread_count = 1
        try codec.open()
        packet = try OwnedPacket(subject)
        decoded = try OwnedFrame(subject)
    }

    /// Decodes one packet, or flushes the decoder.
    ///
    /// - Parameters:
    ///   - coded: The packet; `nil` flushes the remaining frames.
    ///   - look: Called for each frame that is ready, in presentation order.
    /// - Throws: An error if decoding the packet fails or reports damage.
    func decode(_ coded: EncodedPacket?, _ look: (Frame) -> Void) throws(EncodingError) {
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
        guard result >= 0 else { throw decodingError(result) }
        while true {
            let result = avcodec_receive_frame(codec.pointer, decoded.pointer)
            if result == ff_try_again || result == ff_end_of_file { return }
            guard result >= 0 else { throw decodingError(result) }
            guard decoded.pointer.pointee.decode_error_flags == 0 else {
                throw decodingError(ff_invalid_data)
            }
            look(try frame())
        }
    }

    private func decodingError(_ code: Int32) -> EncodingError {
        let error = EncodingError(subject, "", code: code)
        return EncodingError(
            subject: subject, operation: "reading back the encoded stream", reason: error.reason)
    }

    private func frame() throws(EncodingError) -> Frame {
        let facts = decoded.pointer.pointee
        let pixel = AVPixelFormat(facts.format)
        guard pixel == AV_PIX_FMT_YUV420P || pixel == AV_PIX_FMT_YUVJ420P, let y = facts.data.0,
            let u = facts.data.1, let v = facts.data.2
        else {
            throw EncodingError(
                subject: subject, operation: "reading back the encoded stream",
                reason: "the encoded frames are not 8-bit 4:2:0")
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
