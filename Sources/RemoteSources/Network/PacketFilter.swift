internal import CMulticamMedia
internal import MulticamMedia

/// Converts an H.264 stream to access units in Annex B, each key frame with its parameter sets. Use this type only on
/// the camera's thread.
final class PacketFilter {
    private let filter: UnsafeMutablePointer<AVBSFContext>
    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let output: UnsafeMutablePointer<AVPacket>
    private let address: SourceAddress
    /// Size of the latest key frame; `nil` before the first one.
    private(set) var size: FrameSize?

    init(_ stream: UnsafeMutablePointer<AVStream>, _ address: SourceAddress) throws(SourceError) {
        var filter: UnsafeMutablePointer<AVBSFContext>?
        guard av_bsf_list_parse_str("h264_mp4toannexb,dump_extra=freq=keyframe", &filter) >= 0, let filter,
            let parser = av_parser_init(Int32(AV_CODEC_ID_H264.rawValue)),
            let codec = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264)),
            let output = av_packet_alloc()
        else { throw .lost("\(address): out of memory.") }
        (self.filter, self.parser, self.codec, self.output, self.address) = (
            filter, parser, codec, output, address
        )
        parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        avcodec_parameters_copy(filter.pointee.par_in, stream.pointee.codecpar)
        filter.pointee.time_base_in = stream.pointee.time_base
        guard av_bsf_init(filter) >= 0 else { throw .lost("\(address) sent invalid H.264.") }
    }

    deinit {
        var filter: UnsafeMutablePointer<AVBSFContext>? = filter
        av_bsf_free(&filter)
        av_parser_close(parser)
        var codec: UnsafeMutablePointer<AVCodecContext>? = codec
        avcodec_free_context(&codec)
        var output: UnsafeMutablePointer<AVPacket>? = output
        av_packet_free(&output)
    }

    /// Returns the access unit of a packet; `nil` if it is damaged.
    func filter(_ packet: UnsafeMutablePointer<AVPacket>) throws(SourceError) -> SharedBytes? {
        let isKey = (packet.pointee.flags & AV_PKT_FLAG_KEY) != 0
        guard av_bsf_send_packet(filter, packet) >= 0 else { return nil }
        defer { av_packet_unref(output) }
        guard av_bsf_receive_packet(filter, output) >= 0 else { return nil }
        if isKey {
            var (data, count): (UnsafeMutablePointer<UInt8>?, Int32) = (nil, 0)
            av_parser_parse2(
                parser, codec, &data, &count, output.pointee.data, output.pointee.size, ff_no_timestamp,
                ff_no_timestamp, 0)
            if parser.pointee.width > 0, parser.pointee.height > 0 {
                size = FrameSize(width: Int(parser.pointee.width), height: Int(parser.pointee.height))
            }
        }
        return Self.copy(of: output)
    }

    /// Whether a packet contains the first slice of a frame. Packets of codecs without slices always do.
    ///
    /// - Parameters:
    ///   - packet: H.264 and HEVC are read as Annex B.
    ///   - codec: Codec of the stream.
    /// - Returns: `false` for further slices, and for packets without slices.
    ///
    /// In H.264, the first slice has `first_mb_in_slice` 0, coded as a single 1 bit (ITU-T H.264, 7.3.3). In HEVC, the
    /// first bit is `first_slice_segment_in_pic_flag` (ITU-T H.265, 7.3.6.1).
    static func beginsFrame(_ packet: UnsafeMutablePointer<AVPacket>, of codec: AVCodecID) -> Bool {
        guard codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC else { return true }
        let bytes = UnsafeBufferPointer(start: packet.pointee.data, count: Int(max(packet.pointee.size, 0)))
        let header = codec == AV_CODEC_ID_H264 ? 1 : 2
        var zeros = 0
        for (index, byte) in bytes.enumerated() {
            defer { zeros = byte == 0 ? zeros + 1 : 0 }
            guard byte == 1, zeros >= 2, index + 1 + header < bytes.count else { continue }
            let first = bytes[index + 1]
            let isSlice =
                codec == AV_CODEC_ID_H264 ? [1, 2, 5].contains(first & 0x1f) : (first >> 1) & 0x3f < 32
            if isSlice { return bytes[index + 1 + header] & 0x80 != 0 }
        }
        return false
    }

    /// Copies the bytes of a packet.
    static func copy(of packet: UnsafeMutablePointer<AVPacket>) -> SharedBytes? {
        guard let data = packet.pointee.data, packet.pointee.size > 0 else { return nil }
        return SharedBytes(copying: UnsafeRawBufferPointer(start: data, count: Int(packet.pointee.size)))
    }
}

/// The packets of a video stream since its latest key frame, bounded in number and size. Use this type only on the
/// camera's thread.
struct StreamPacketHistory {
    /// A packet that outlives the call that read it.
    final class Packet {
        let pointer: UnsafeMutablePointer<AVPacket>

        /// References the content of a packet; `nil` if memory allocation fails.
        init?(_ packet: UnsafeMutablePointer<AVPacket>) {
            guard let clone = av_packet_clone(packet) else { return nil }
            pointer = clone
        }

        deinit {
            var packet: UnsafeMutablePointer<AVPacket>? = pointer
            av_packet_free(&packet)
        }
    }

    private var packets: [Packet] = []
    private var byteCount = 0

    /// Maximum number of packets and bytes, enough for a few seconds from the cameras with the highest bit
    /// rates. If a group of pictures is longer, all of it is dropped, because its end is useless without its
    /// beginning.
    private static let most = (packets: 1800, bytes: 64 << 20)

    /// Appends a packet. A key frame drops the packets before it.
    mutating func append(_ packet: UnsafeMutablePointer<AVPacket>) {
        if packet.pointee.flags & AV_PKT_FLAG_KEY != 0 {
            (packets, byteCount) = ([], 0)
        } else if packets.isEmpty {
            return
        }
        byteCount += Int(packet.pointee.size)
        guard packets.count < Self.most.packets, byteCount <= Self.most.bytes, let held = Packet(packet)
        else {
            (packets, byteCount) = ([], 0)
            return
        }
        packets.append(held)
    }

    /// Removes and returns all packets.
    mutating func dequeueAll() -> [Packet] {
        defer { (packets, byteCount) = ([], 0) }
        return packets
    }
}

/// An access unit of a stream copy, or the parts of it that have arrived.
struct PendingUnit {
    /// The parts that have arrived, in Annex B.
    private var parts: [SharedBytes]
    private var byteCount: Int
    /// Timestamp of the access unit.
    let stamp: Nanoseconds
    /// Capture time, derived when the packet arrived.
    let date: PacketDate
    /// Whether the unit can be decoded without earlier units.
    private(set) var isKey: Bool
    /// Whether part of the unit is known to be lost.
    private(set) var isDamaged: Bool

    /// Maximum number of parts. Cameras send one slice per part, up to a few dozen per frame.
    private static let mostParts = 1024

    /// Creates a unit with one part. Each parameter sets the property of the same name.
    init(bytes: SharedBytes, stamp: Nanoseconds, date: PacketDate, isKey: Bool, isDamaged: Bool) {
        (parts, byteCount) = ([bytes], bytes.count)
        (self.stamp, self.date) = (stamp, date)
        (self.isKey, self.isDamaged) = (isKey, isDamaged)
    }

    /// Appends another part with the same timestamp.
    ///
    /// - Returns: Whether the unit is still within the limits of a real camera. An endless unit would exhaust
    ///   memory.
    mutating func append(_ other: PendingUnit, atMost most: Int) -> Bool {
        parts += other.parts
        byteCount += other.byteCount
        (isKey, isDamaged) = (isKey || other.isKey, isDamaged || other.isDamaged)
        return byteCount <= most && parts.count <= Self.mostParts
    }

    /// All parts, concatenated.
    var bytes: SharedBytes {
        if parts.count == 1 { return parts[0] }
        let joined = SharedBytes(count: byteCount)
        var offset = 0
        for part in parts {
            (joined.start + offset).copyMemory(from: part.start, byteCount: part.count)
            offset += part.count
        }
        return joined
    }
}

/// Capture time of a packet's frame as known when the packet arrived. The frame is output later, when the
/// timestamps may have a new origin.
struct PacketDate {
    /// Capture time of the frame.
    let time: ClockTime
    /// Whether the timestamps have a new origin from this packet on.
    let isRebased: Bool
}
