internal import CMulticamMedia
internal import MulticamMedia

/// Muxes H.264 and AAC with libavformat. The output goes to memory or to a libavformat protocol. Use this
/// type from only one thread.
///
/// Timestamps start at 0 with the first video frame. Both streams have the same origin, so that audio and
/// video stay in sync.
final class LiveMuxer {
    /// The container format of the muxer's output.
    enum Format: String {
        case transportStream = "mpegts"
        case flashVideo = "flv"
    }

    private let format: Format
    private let printable: String
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    private var video: Stream?
    private var audio: Stream?
    /// Session time that corresponds to timestamp 0.
    private var origin: ClockTime?
    private var isBegun = false

    private struct Stream {
        let index: Int32
        /// The parameter sets that were last sent to the receiver.
        var setup: [UInt8]
        /// Decoding timestamp of the last packet, in the stream's time base.
        var last: Int64 = -1
    }

    /// Buffering time before decoding, in microseconds, in a receiver that follows the container's clock.
    private static let delay: Int32 = 100_000

    /// Creates a muxer that writes to memory until `begin` is called.
    ///
    /// - Throws: `PublishingError` if memory allocation fails or `streams` is empty.
    init(_ format: Format, _ streams: PublishedStreams, to printable: String) throws(PublishingError) {
        (self.format, self.printable) = (format, printable)
        media_hear_messages()
        var made: UnsafeMutablePointer<AVFormatContext>?
        avformat_alloc_output_context2(&made, nil, format.rawValue, nil)
        guard let context = made, let packet = av_packet_alloc() else {
            throw .lost("\(printable): out of memory.")
        }
        (self.context, self.packet) = (context, packet)
        context.pointee.flags |= AVFMT_FLAG_FLUSH_PACKETS
        context.pointee.max_delay = Self.delay
        video = try streams.video.map { parameters throws(PublishingError) in try add(parameters) }
        audio = try streams.audio.map { parameters throws(PublishingError) in try add(parameters) }
    }

    deinit {
        var held: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&held)
        avformat_free_context(context)
    }

    private func add(_ parameters: StreamParameters) throws(PublishingError) -> Stream {
        guard let stream = avformat_new_stream(context, nil), let facts = stream.pointee.codecpar,
            let setup = av_mallocz(parameters.setup.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
        else { throw .lost("\(printable): out of memory.") }
        setup.copyMemory(from: parameters.setup, byteCount: parameters.setup.count)
        facts.pointee.extradata = setup.assumingMemoryBound(to: UInt8.self)
        facts.pointee.extradata_size = Int32(parameters.setup.count)
        if let audio = parameters.audio {
            facts.pointee.codec_type = AVMEDIA_TYPE_AUDIO
            facts.pointee.codec_id = AV_CODEC_ID_AAC
            facts.pointee.sample_rate = Int32(clamping: audio.rate)
            facts.pointee.frame_size = 1024
            av_channel_layout_default(&facts.pointee.ch_layout, Int32(clamping: audio.channels))
        } else {
            facts.pointee.codec_type = AVMEDIA_TYPE_VIDEO
            facts.pointee.codec_id = AV_CODEC_ID_H264
            facts.pointee.width = Int32(clamping: parameters.size?.width ?? 0)
            facts.pointee.height = Int32(clamping: parameters.size?.height ?? 0)
            if let rate = parameters.rate {
                stream.pointee.avg_frame_rate = AVRational(
                    num: Int32(clamping: rate.frames), den: Int32(clamping: rate.seconds))
            }
        }
        return Stream(index: stream.pointee.index, setup: parameters.setup)
    }

    /// Redirects all subsequent output, starting with the header, from memory to a protocol.
    ///
    /// - Throws: `PublishingError` if the protocol fails.
    func begin(on output: UnsafeMutablePointer<AVIOContext>) throws(PublishingError) {
        context.pointee.pb = output
        var options: OpaquePointer?
        av_dict_set(&options, "flvflags", "no_duration_filesize", 0)
        defer { av_dict_free(&options) }
        try check(avformat_write_header(context, &options))
        isBegun = true
    }

    /// Muxes an item.
    ///
    /// - Returns: The muxed bytes, preceded by the container's header for the first item.
    /// - Throws: `PublishingError` if libavformat rejects the item or memory allocation fails.
    func bytes(of item: PublishedItem) throws(PublishingError) -> [UInt8] {
        guard avio_open_dyn_buf(&context.pointee.pb) >= 0 else {
            throw .lost("\(printable): out of memory.")
        }
        var failure: PublishingError?
        do throws(PublishingError) {
            if !isBegun {
                var options: OpaquePointer?
                // With this option, each audio frame is sent immediately.
                av_dict_set(&options, "pes_payload_size", "0", 0)
                defer { av_dict_free(&options) }
                try check(avformat_write_header(context, &options))
                isBegun = true
            }
            try write(item)
        } catch {
            failure = error
        }
        var start: UnsafeMutablePointer<UInt8>?
        let count = avio_close_dyn_buf(context.pointee.pb, &start)
        context.pointee.pb = nil
        defer { av_free(start) }
        if let failure { throw failure }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// Writes an item. Items that belong to unknown streams or precede the first frame are dropped.
    ///
    /// - Throws: `PublishingError` if the protocol fails.
    func write(_ item: PublishedItem) throws(PublishingError) {
        switch item {
        case .video(let packet):
            guard var stream = video else { return }
            defer { video = stream }
            try write(packet, &stream)
        case .audio(let packet):
            guard var stream = audio else { return }
            defer { audio = stream }
            try write(packet, &stream)
        case .frame, .samples: return
        }
    }

    private func write(_ given: PublishedPacket, _ stream: inout Stream) throws(PublishingError) {
        let origin = self.origin ?? given.decodedAt
        self.origin = origin
        guard given.decodedAt >= origin else { return }
        let base =
            context.pointee.streams[Int(stream.index)]?.pointee.time_base ?? AVRational(num: 1, den: 90_000)
        let (scale, unit) = (Int64(base.den), Int64(base.num) * Nanoseconds.seconds(1).count)
        let decode = max((given.decodedAt - origin).count.rescaled(from: unit, to: scale), stream.last + 1)
        let present = max((given.presentedAt - origin).count.rescaled(from: unit, to: scale), decode)
        stream.last = decode
        let isChanged = given.isKey && given.parameters.setup != stream.setup
        let bytes =
            isChanged && format == .transportStream && given.parameters.audio == nil
            ? SharedBytes(given.parameters.setup + Array(given.bytes.bytes)) : given.bytes
        av_packet_unref(packet)
        // libavformat reads the bytes before the call returns.
        packet.pointee.data = bytes.start.assumingMemoryBound(to: UInt8.self)
        packet.pointee.size = Int32(clamping: bytes.count)
        packet.pointee.stream_index = stream.index
        (packet.pointee.dts, packet.pointee.pts) = (decode, present)
        packet.pointee.duration = given.duration.count.rescaled(from: unit, to: scale)
        if given.isKey { packet.pointee.flags |= AV_PKT_FLAG_KEY }
        if isChanged {
            let setup = given.parameters.setup
            stream.setup = setup
            av_packet_new_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, setup.count)?
                .update(from: setup, count: setup.count)
        }
        let result = withExtendedLifetime(bytes) { av_write_frame(context, packet) }
        packet.pointee.data = nil
        packet.pointee.size = 0
        av_packet_unref(packet)
        try check(result)
    }

    /// Writes the container's trailer.
    func finish() { if isBegun { av_write_trailer(context) } }

    private func check(_ code: Int32) throws(PublishingError) {
        guard code < 0 else { return }
        var text = [CChar](repeating: 0, count: 128)
        av_strerror(code, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        throw .lost("the connection to \(printable) was lost: \(String(decoding: bytes, as: UTF8.self)).")
    }
}

/// Converts H.264 to the byte stream format of ITU-T H.264, Annex B, from the file format of ISO/IEC
/// 14496-15, which has length-prefixed NAL units and an avcC record. Damaged input results in shorter output,
/// never in a crash.
enum AnnexB {
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Whether the setup bytes are an avcC record, which means that the stream's NAL units are
    /// length-prefixed.
    static func isConfigurationRecord(_ setup: [UInt8]) -> Bool { setup.first == 1 }

    /// Returns a stream's parameter sets in Annex B format. Setup bytes that are already in Annex B format
    /// are returned unchanged.
    static func parameterSets(of setup: [UInt8]) -> [UInt8] {
        guard isConfigurationRecord(setup), setup.count > 6 else { return setup }
        var (result, rest) = ([UInt8](), setup[5...])
        for mask: UInt8 in [0x1F, 0xFF] {
            guard let count = rest.popFirst() else { return result }
            for _ in 0..<(count & mask) {
                guard let high = rest.popFirst(), let low = rest.popFirst() else { return result }
                let unit = rest.prefix(Int(high) << 8 | Int(low))
                result += startCode + unit
                rest = rest.dropFirst(unit.count)
            }
        }
        return result
    }

    /// Converts an access unit to Annex B format.
    ///
    /// - Parameters:
    ///   - bytes: The received access unit.
    ///   - setup: The stream's setup bytes. If the setup bytes are in Annex B format, `bytes` is returned
    ///     unchanged.
    /// - Returns: The same NAL units, with start codes.
    static func accessUnit(_ bytes: SharedBytes, setup: [UInt8]) -> SharedBytes {
        guard isConfigurationRecord(setup), setup.count > 4 else { return bytes }
        let lengthSize = Int(setup[4] & 3) + 1
        var (result, rest) = ([UInt8](), bytes.bytes[...])
        result.reserveCapacity(bytes.count + 16)
        while rest.count > lengthSize {
            let length = rest.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(lengthSize)
            let unit = rest.prefix(length)
            result += startCode
            result += unit
            rest = rest.dropFirst(unit.count)
        }
        return SharedBytes(result)
    }
}
