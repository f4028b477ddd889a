internal import CMulticamMedia
import MulticamMedia

/// Converts a hardware encoder's output to packets for files, and checks that the encoder returns each frame
/// once and in order.
///
/// `CodedStream` is a value type without side effects.
struct CodedStream {
    private let subject: String
    private let ticksPerFrame: Int64
    private let filter: ColorTagFilter?
    /// Presentation times of the frames sent to the encoder. The encoder has not yet returned the frames from
    /// index `next` onward.
    private var expected: [Int64] = []
    private var next = 0
    /// Parameter sets that the encoder returned without a frame, to be inserted before the next frame.
    private var pendingParameterSets: [UInt8] = []

    /// Creates a converter for the output of an encoder.
    ///
    /// - Parameters:
    ///   - subject: Name of the encoder, used in messages.
    ///   - rate: Frame rate of the stream. A tick is one frame interval.
    ///   - filter: Filter that adds the color description to the packets; `nil` if the encoder writes the
    ///     color description.
    init(_ subject: String, rate: FrameRate, filter: ColorTagFilter?) {
        self.subject = subject
        ticksPerFrame = rate.seconds
        self.filter = filter
    }

    /// Records that a frame with this presentation time was sent to the encoder.
    mutating func expect(_ presentation: Int64) { expected.append(presentation) }

    /// Checks coded frames and converts them to packets.
    ///
    /// - Parameters:
    ///   - frames: Output of the encoder, in order.
    ///   - isLast: Whether these are the last frames, so that no frame may remain in the encoder.
    /// - Returns: One packet for each frame, in the same order.
    /// - Throws: An error if a frame is missing, duplicated, out of order, or unreadable.
    mutating func convert(_ frames: [CodedFrame], isLast: Bool = false) throws(EncodingError)
        -> [EncodedPacket]
    {
        var packets: [EncodedPacket] = []
        for frame in frames {
            let units = CodedUnits(frame.bytes)
            guard units.hasFrame else {
                // V4L2 drivers send parameter sets in a separate buffer (V4L2_MPEG_VIDEO_HEADER_MODE_SEPARATE).
                pendingParameterSets += units.parameterSets
                continue
            }
            try check(frame)
            var bytes = frame.bytes
            if !pendingParameterSets.isEmpty {
                bytes = SharedBytes(pendingParameterSets + withExtendedLifetime(bytes) { Array(bytes.bytes) })
                pendingParameterSets = []
            }
            if let filter { bytes = try filter.apply(to: bytes) }
            packets.append(
                EncodedPacket(
                    bytes: bytes, presentation: expected[next], decode: expected[next],
                    duration: ticksPerFrame, isKey: units.isKey))
            next += 1
        }
        if isLast, next < expected.count {
            throw encodingError("the encoder did not return the last \(expected.count - next) frames")
        }
        if next > 256 {
            expected.removeFirst(next)
            next = 0
        }
        return packets
    }

    /// Checks that a frame's time deviates by less than half a tick. Drivers count in microseconds, so the
    /// times they return may have a small rounding error.
    private func check(_ frame: CodedFrame) throws(EncodingError) {
        guard next < expected.count else {
            throw encodingError("the encoder returned a frame that was not sent to it")
        }
        let wanted = expected[next]
        let distance = frame.presentation.subtractingReportingOverflow(wanted)
        guard !distance.overflow, abs(distance.partialValue) * 2 < ticksPerFrame else {
            let isEarlier = frame.presentation < wanted
            throw encodingError(
                isEarlier
                    ? "the encoder returned frames out of order"
                    : "the encoder dropped a frame, or returned frames out of order")
        }
    }

    private func encodingError(_ reason: String) -> EncodingError {
        EncodingError(subject: subject, operation: "encoding", reason: reason)
    }
}

/// NAL units at the beginning of one H.264 packet (ITU-T H.264, annex B and table 7-1), up to its first slice.
struct CodedUnits {
    /// Parameter sets with their start codes, unchanged.
    private(set) var parameterSets: [UInt8] = []
    /// Whether the packet contains a slice. A packet without a slice isn't a frame.
    private(set) var hasFrame = false
    /// Whether the first slice belongs to an IDR frame. A file can start with such a frame.
    private(set) var isKey = false

    private enum Kind {
        static let slice: UInt8 = 1
        static let keySlice: UInt8 = 5
        static let sequenceParameterSet: UInt8 = 7
        static let pictureParameterSet: UInt8 = 8
    }

    init(_ memory: SharedBytes) {
        self = withExtendedLifetime(memory) { Self(memory.bytes) }
    }

    private init(_ bytes: UnsafeRawBufferPointer) {
        var start = Self.unit(in: bytes, from: 0)
        while let unit = start {
            let kind = bytes[unit] & 0x1F
            if kind == Kind.slice || kind == Kind.keySlice {
                hasFrame = true
                isKey = kind == Kind.keySlice
                return
            }
            start = Self.unit(in: bytes, from: unit)
            guard kind == Kind.sequenceParameterSet || kind == Kind.pictureParameterSet else { continue }
            var end = start.map { $0 - 3 } ?? bytes.count
            // Zero bytes before a start code are part of the start code.
            while end > unit, bytes[end - 1] == 0 { end -= 1 }
            parameterSets += [0, 0, 0, 1] + bytes[unit..<end]
        }
    }

    /// Returns the position of the next NAL unit, after its start code. A simple search is sufficient,
    /// because little data precedes a frame's first slice.
    private static func unit(in bytes: UnsafeRawBufferPointer, from position: Int) -> Int? {
        var zeros = 0
        var place = position
        while place + 1 < bytes.count {
            if bytes[place] == 1, zeros >= 2 { return place + 1 }
            zeros = bytes[place] == 0 ? zeros + 1 : 0
            place += 1
        }
        return nil
    }
}

/// Adds a color description to the stream of an encoder that doesn't write one, using libavcodec's
/// `h264_metadata` filter.
final class ColorTagFilter {
    private var context: UnsafeMutablePointer<AVBSFContext>?
    private let packet: OwnedPacket
    private let subject: String

    /// Parameter sets with the color description, in Annex B format.
    let setup: [UInt8]

    /// Opens the filter.
    ///
    /// - Parameters:
    ///   - color: The color description to write.
    ///   - setup: Parameter sets of the stream, in Annex B format.
    ///   - subject: Name of the encoder, used in messages.
    /// - Throws: An error if libavcodec doesn't include the `h264_metadata` filter, or can't parse the
    ///   parameter sets.
    init(_ color: ColorDescription, setup: [UInt8], subject: String) throws(EncodingError) {
        self.subject = subject
        packet = try OwnedPacket(subject)
        guard let filter = av_bsf_get_by_name("h264_metadata") else {
            throw EncodingError(
                subject: subject, operation: "av_bsf_get_by_name",
                reason: "the installed libavcodec does not have the filter h264_metadata")
        }
        var result = av_bsf_alloc(filter, &context)
        guard result >= 0, let context, let stream = context.pointee.par_in else {
            throw EncodingError(subject, "av_bsf_alloc", code: result)
        }
        stream.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        stream.pointee.codec_id = AV_CODEC_ID_H264
        // The memory must come from libavutil, which frees it together with the filter. libavutil also
        // requires padding after the data.
        guard let bytes = av_mallocz(setup.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            throw .outOfMemory(subject, "av_mallocz")
        }
        setup.withUnsafeBytes { source in
            if let start = source.baseAddress { bytes.copyMemory(from: start, byteCount: source.count) }
        }
        stream.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
        stream.pointee.extradata_size = Int32(setup.count)
        // ITU-T H.273 code points: 1 is BT.709; 6 is SMPTE 170M, which is equivalent to BT.601.
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

    /// Adds the color description to one packet.
    ///
    /// - Parameter bytes: A packet of the stream. Packets must be passed in order.
    /// - Returns: The packet with the color description.
    /// - Throws: An error if the packet can't be parsed.
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
        return try packet.detachBytes(subject)
    }
}
