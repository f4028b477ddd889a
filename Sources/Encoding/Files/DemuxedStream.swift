internal import CMedia
import Media

/// One stream of a media file, read packet by packet. Owns the `AVFormatContext`.
final class DemuxedStream {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let index: Int
    let path: String

    /// Opens a file on disk; a path is never taken for a URL or a pattern.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - type: Video or audio.
    ///   - number: Index of the stream in the file; `nil` takes the best one of its type.
    /// - Throws: When the file cannot be read, or has no such stream.
    init(path: String, type: AVMediaType, number: Int? = nil) throws(EncodingError) {
        LibraryLog.silenced
        self.path = path
        var options: OpaquePointer?
        av_dict_set(&options, "pattern_type", "none", 0)
        defer { av_dict_free(&options) }
        var opened: UnsafeMutablePointer<AVFormatContext>?
        var result = avformat_open_input(&opened, "file:" + path, nil, &options)
        guard result >= 0, let context = opened else {
            throw EncodingError(path, "reading it as a media file", code: result)
        }
        result = avformat_find_stream_info(context, nil)
        let wanted = number.map { Int32(clamping: $0) } ?? -1
        let best = av_find_best_stream(context, type, wanted, -1, nil, 0)
        guard result >= 0, best >= 0 else {
            avformat_close_input(&opened)
            let wanted = type == AVMEDIA_TYPE_VIDEO ? "video" : "audio"
            let place = number.map { " at place \($0)" } ?? ""
            guard best != ff_stream_not_found else {
                throw EncodingError(
                    subject: path, operation: "reading", reason: "there is no \(wanted)\(place) in it")
            }
            throw EncodingError(path, "looking for \(wanted)", code: min(result, best))
        }
        self.context = context
        index = Int(best)
        for other in 0..<Int(context.pointee.nb_streams) where other != index {
            context.pointee.streams[other]?.pointee.discard = AVDISCARD_ALL
        }
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
    }

    private var stream: UnsafeMutablePointer<AVStream> {
        guard let stream = context.pointee.streams[index] else {
            preconditionFailure("a found stream is there")
        }
        return stream
    }

    var parameters: UnsafeMutablePointer<AVCodecParameters> { stream.pointee.codecpar }

    /// The file's own idea of the frame rate; 30 where it has none.
    var rate: FrameRate {
        let rate = av_guess_frame_rate(context, stream, nil)
        guard rate.num > 0, rate.den > 0, rate.num / rate.den <= 1000 else { return FrameRate(30) }
        return FrameRate(Int64(rate.num), per: Int64(rate.den))
    }

    /// Duration of the stream, or else of the file; `nil` when the file states neither.
    var duration: Nanoseconds? {
        if stream.pointee.duration > 0 { return nanoseconds(stream.pointee.duration) }
        return context.pointee.duration > 0 ? .microseconds(context.pointee.duration) : nil
    }

    /// The file's time of the stream's first time stamp; `nil` when it is missing or implausible.
    var begin: Nanoseconds? { fileTime(stream.pointee.start_time) }

    /// Converts a time stamp to the time since the stream's first time stamp; `nil` when it is missing or implausible.
    func time(_ stamp: Int64) -> Nanoseconds? {
        guard stamp != ff_no_timestamp else { return nil }
        let start = stream.pointee.start_time
        guard start != ff_no_timestamp else { return plausible(nanoseconds(stamp)) }
        let (ticks, isTooFar) = stamp.subtractingReportingOverflow(start)
        return isTooFar ? nil : plausible(nanoseconds(ticks))
    }

    /// Converts a time stamp to the time since the file's time 0, which edit lists may set after the stream's first
    /// time stamp.
    func fileTime(_ stamp: Int64) -> Nanoseconds? {
        stamp == ff_no_timestamp ? nil : plausible(nanoseconds(stamp))
    }

    /// Rejects times more than ten years from the file's beginning, so that later arithmetic cannot overflow: a damaged
    /// file may state any time.
    private func plausible(_ time: Nanoseconds) -> Nanoseconds? {
        let limit: Int64 = Nanoseconds.seconds(10 * 366 * 86_400).count
        return (-limit...limit).contains(time.count) ? time : nil
    }

    /// Continues reading at the last key frame, or audio packet, at or before a time of the file.
    func seek(to time: Nanoseconds) throws(EncodingError) {
        let stamp = av_rescale_q(time.count, AVRational(num: 1, den: 1_000_000_000), stream.pointee.time_base)
        let result = av_seek_frame(context, Int32(index), stamp, ff_seek_backward)
        guard result >= 0 else { throw EncodingError(path, "av_seek_frame", code: result) }
    }

    private func nanoseconds(_ ticks: Int64) -> Nanoseconds {
        Nanoseconds(av_rescale_q(ticks, stream.pointee.time_base, AVRational(num: 1, den: 1_000_000_000)))
    }

    /// Reads the next packet of the stream.
    ///
    /// - Returns: `false` at the end of the file.
    func read(into packet: UnsafeMutablePointer<AVPacket>) throws(EncodingError) -> Bool {
        while true {
            av_packet_unref(packet)
            let result = av_read_frame(context, packet)
            if result == ff_end_of_file { return false }
            guard result >= 0 else { throw EncodingError(path, "av_read_frame", code: result) }
            if Int(packet.pointee.stream_index) == index { return true }
        }
    }

    /// Opens a decoder with the file's parameters of the stream.
    func makeDecoder() throws(EncodingError) -> OwnedCodec {
        let decoder = try OwnedCodec(decoder: parameters.pointee.codec_id, subject: path)
        let result = avcodec_parameters_to_context(decoder.pointer, parameters)
        guard result >= 0 else { throw EncodingError(path, "avcodec_parameters_to_context", code: result) }
        decoder.pointer.pointee.pkt_timebase = stream.pointee.time_base
        decoder.pointer.pointee.get_buffer2 = media_buffer_in_one_piece
        decoder.pointer.pointee.thread_count = 1
        try decoder.open()
        return decoder
    }
}
