internal import CMedia
internal import Media

/// Makes an H.264 stream one of access units in Annex B, each key frame with its parameter sets. Belongs to the camera's thread.
final class PacketFilter {
    private let filter: UnsafeMutablePointer<AVBSFContext>
    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let output: UnsafeMutablePointer<AVPacket>
    private let address: SourceAddress
    /// The size of the latest key frame; `nil` before one.
    private(set) var size: FrameSize?

    init(_ stream: UnsafeMutablePointer<AVStream>, _ address: SourceAddress) throws(SourceError) {
        var filter: UnsafeMutablePointer<AVBSFContext>?
        guard av_bsf_list_parse_str("h264_mp4toannexb,dump_extra=freq=keyframe", &filter) >= 0, let filter,
            let parser = av_parser_init(Int32(AV_CODEC_ID_H264.rawValue)),
            let codec = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264)),
            let output = av_packet_alloc()
        else { throw .lost("no memory is left for \(address).") }
        (self.filter, self.parser, self.codec, self.output, self.address) = (
            filter, parser, codec, output, address
        )
        parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        avcodec_parameters_copy(filter.pointee.par_in, stream.pointee.codecpar)
        filter.pointee.time_base_in = stream.pointee.time_base
        guard av_bsf_init(filter) >= 0 else { throw .lost("\(address) sends H.264 that is not understood.") }
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

    /// The access unit of a packet; `nil` where it is damaged.
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

    /// The bytes of a packet.
    static func copy(of packet: UnsafeMutablePointer<AVPacket>) -> SharedBytes? {
        guard let data = packet.pointee.data, packet.pointee.size > 0 else { return nil }
        return SharedBytes(copying: UnsafeRawBufferPointer(start: data, count: Int(packet.pointee.size)))
    }
}
