internal import CMulticamMedia
import MulticamMedia
import MulticamSystem

/// One stream of a media file, read packet by packet. The object owns the `AVFormatContext`.
final class DemuxedStream {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let index: Int
    let path: String
    /// Timeline of all streams in the file; `nil` if the stream is read without the other streams.
    private(set) var timeline: FileTimeline?
    /// File time of the start of `timeline`.
    private let origin: Nanoseconds?

    /// Opens a file on disk. The path is never interpreted as a URL or a pattern.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - type: Video or audio.
    ///   - number: Index of the stream in the file; `nil` selects the best stream of the type.
    ///   - keepsOffset: Whether times count from the earliest stream in the file, with timestamp jumps
    ///     compensated. If `true`, the file's other streams are also read, and the stream doesn't support
    ///     seeking.
    /// - Throws: An error if the file can't be read or doesn't contain the stream.
    convenience init(
        path: String, type: AVMediaType, number: Int? = nil, keepsOffset: Bool = false
    ) throws(EncodingError) {
        try self.init(
            path: path, address: "file:" + path, formats: nil, type: type, number: number,
            keepsOffset: keepsOffset)
    }

    /// Opens a file of a recording. The folder may come from an untrusted source, so links aren't followed. Only
    /// recorded formats are accepted, because playlists and similar formats open other files.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - type: Video or audio.
    ///   - number: Index of the stream in the file; `nil` selects the best stream of the type.
    /// - Throws: An error if the file can't be read or doesn't contain the stream.
    convenience init(recorded file: ContainedFile, type: AVMediaType, number: Int? = nil)
        throws(EncodingError)
    {
        let descriptor: OwnedDescriptor
        do throws(FileError) { descriptor = try file.openForReading() } catch {
            throw EncodingError(file: error)
        }
        // libavformat opens the file through this descriptor, so it reads the same file even if the file's
        // name now refers to another file.
        try self.init(
            path: file.path, address: "file:/proc/self/fd/\(descriptor.number)",
            formats: Self.recordedFormats,
            type: type, number: number)
        withExtendedLifetime(descriptor.number) {}
    }

    /// Names of libavformat's demuxers for the recorded formats.
    static let recordedFormats = "mov,mp4,m4a,3gp,3g2,mj2,wav"

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: Path of the file, for messages.
    ///   - address: Address that libavformat opens.
    ///   - formats: Names of the allowed demuxers; `nil` allows all.
    ///   - type: Video or audio.
    ///   - number: Index of the stream in the file; `nil` selects the best stream of the type.
    ///   - keepsOffset: Whether times count from the earliest stream in the file.
    /// - Throws: An error if the file can't be read or doesn't contain the stream.
    init(
        path: String, address: String, formats: String?, type: AVMediaType, number: Int?,
        keepsOffset: Bool = false
    ) throws(EncodingError) {
        LibraryLog.silenced
        self.path = path
        var options: OpaquePointer?
        av_dict_set(&options, "pattern_type", "none", 0)
        av_dict_set(&options, "protocol_whitelist", "file", 0)
        if let formats { av_dict_set(&options, "format_whitelist", formats, 0) }
        defer { av_dict_free(&options) }
        var opened: UnsafeMutablePointer<AVFormatContext>?
        var result = avformat_open_input(&opened, address, nil, &options)
        guard result >= 0, let context = opened else {
            throw EncodingError(path, "reading the media file", code: result)
        }
        result = avformat_find_stream_info(context, nil)
        let wanted = number.map { Int32(clamping: $0) } ?? -1
        let best = av_find_best_stream(context, type, wanted, -1, nil, 0)
        guard result >= 0, best >= 0 else {
            avformat_close_input(&opened)
            let wanted = type == AVMEDIA_TYPE_VIDEO ? "video" : "audio"
            let place = number.map { " at index \($0)" } ?? ""
            guard best != ff_stream_not_found else {
                throw EncodingError(
                    subject: path, operation: "reading", reason: "the file does not contain \(wanted)\(place)"
                )
            }
            throw EncodingError(path, "looking for \(wanted)", code: min(result, best))
        }
        self.context = context
        index = Int(best)
        var begins: [Nanoseconds] = []
        for other in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[other] else { continue }
            let counts = keepsOffset && Self.isOnTimeline(stream.pointee)
            if counts, let begin = Self.startTime(of: stream.pointee) { begins.append(begin) }
            if other != index, !counts { stream.pointee.discard = AVDISCARD_ALL }
        }
        origin = begins.min()
        if keepsOffset {
            timeline = FileTimeline(mayJump: context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0)
        }
    }

    /// Whether a stream contains playable audio or video. Embedded cover art doesn't count as video.
    private static func isOnTimeline(_ stream: AVStream) -> Bool {
        guard let parameters = stream.codecpar, stream.disposition & AV_DISPOSITION_ATTACHED_PIC == 0 else {
            return false
        }
        return [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO].contains(parameters.pointee.codec_type)
    }

    /// Start time of a stream during playback, in file time; `nil` if the start time is missing or
    /// implausible.
    private static func startTime(of stream: AVStream) -> Nanoseconds? {
        guard stream.start_time != ff_no_timestamp, let facts = stream.codecpar?.pointee else { return nil }
        let start = nanoseconds(stream.start_time, stream.time_base)
        guard start < .zero, facts.initial_padding > 0, facts.sample_rate > 0 else { return plausible(start) }
        // An encoder's priming samples are before time 0 and aren't played.
        let padding = Int64(facts.initial_padding).rescaled(from: Int64(facts.sample_rate), to: 1_000_000_000)
        return plausible(min(.zero, start + Nanoseconds(padding)))
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
    }

    private var stream: UnsafeMutablePointer<AVStream> {
        guard let stream = context.pointee.streams[index] else {
            preconditionFailure("the media stream must exist")
        }
        return stream
    }

    var parameters: UnsafeMutablePointer<AVCodecParameters> { stream.pointee.codecpar }

    /// libavcodec's name of the codec, such as `mjpeg` or `h264`.
    var codecName: String { String(cString: avcodec_get_name(parameters.pointee.codec_id)) }

    /// Four-character code of an unknown codec in the file, in parentheses; empty if the file doesn't contain
    /// such a code.
    private var codecTag: String {
        let tag = parameters.pointee.codec_tag
        guard tag != 0 else { return "" }
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) }
        return " (\(String(decoding: bytes, as: UTF8.self).printable()))"
    }

    /// The orientation of a decoded frame of the stream.
    func orientation(of frame: UnsafePointer<AVFrame>) -> FrameOrientation {
        FrameOrientation(of: frame, in: stream)
    }

    /// Pixel aspect ratio of a decoded frame; `nil` for square pixels, or if neither the frame nor the file has a
    /// plausible value.
    func pixelAspect(of frame: UnsafeMutablePointer<AVFrame>) -> AspectRatio? {
        let stated = av_guess_sample_aspect_ratio(context, stream, frame)
        guard stated.num != stated.den else { return nil }
        return AspectRatio(width: Int(stated.num), over: Int(stated.den))
    }

    /// Frame rates stated in the file or guessed by libavformat, most likely first.
    var statedRates: [FrameRate] {
        [
            av_guess_frame_rate(context, stream, nil), stream.pointee.r_frame_rate,
            stream.pointee.avg_frame_rate,
        ]
        .compactMap(FrameRate.init)
    }

    /// Whether the file lacks timestamps, as in a raw H.264 stream. For such a file, libavformat computes
    /// timestamps.
    var lacksTimestamps: Bool {
        context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS != 0
            || stream.pointee.start_time == ff_no_timestamp
    }

    /// Duration of the stream, or of the file as a fallback; `nil` if the file states neither.
    var duration: Nanoseconds? {
        if stream.pointee.duration > 0 { return nanoseconds(stream.pointee.duration) }
        return context.pointee.duration > 0 ? .microseconds(context.pointee.duration) : nil
    }

    /// Explains why a stream without packets may still have content; `nil` if the file doesn't state a duration. FFmpeg
    /// skips packets in variants that it doesn't support, such as FLAC with 32 bits per sample in FFmpeg 5.1.
    var unsupportedContentReason: String? {
        guard let duration, duration > .zero else { return nil }
        return
            "the file declares \(duration.displayText) of \(codecName), but the installed FFmpeg can't read it"
    }

    /// File time of the stream's first timestamp; `nil` if the timestamp is missing or implausible.
    var startTime: Nanoseconds? { fileTime(stream.pointee.start_time) }

    /// Converts a timestamp to the time since the beginning of the earliest stream in the file; `nil` if the
    /// timestamp is missing or implausible.
    func time(_ stamp: Int64) -> Nanoseconds? {
        fileTime(stamp).flatMap { Self.plausible($0 - (origin ?? .zero)) }
    }

    /// Length of one timestamp tick, which is the best precision of any time.
    var tick: Nanoseconds { nanoseconds(1) }

    /// Converts a time to timestamp ticks.
    private func ticks(_ time: Nanoseconds) -> Int64 {
        av_rescale_q(time.count, AVRational(num: 1, den: 1_000_000_000), stream.pointee.time_base)
    }

    /// Converts a timestamp to the time since the file's time 0. Edit lists may set time 0 after the stream's first
    /// timestamp.
    func fileTime(_ stamp: Int64) -> Nanoseconds? {
        stamp == ff_no_timestamp ? nil : Self.plausible(nanoseconds(stamp))
    }

    /// Rejects times that are more than ten years from the file's beginning, because a damaged file may
    /// contain any value. Rejecting such times prevents overflow in later arithmetic.
    private static func plausible(_ time: Nanoseconds) -> Nanoseconds? {
        let limit: Int64 = Nanoseconds.seconds(10 * 366 * 86_400).count
        return (-limit...limit).contains(time.count) ? time : nil
    }

    /// Continues reading at the last key frame (or audio packet) at or before a file time.
    func seek(to time: Nanoseconds) throws(EncodingError) {
        let result = av_seek_frame(context, Int32(index), ticks(time), ff_seek_backward)
        guard result >= 0 else { throw EncodingError(path, "av_seek_frame", code: result) }
    }

    private func nanoseconds(_ ticks: Int64) -> Nanoseconds {
        Self.nanoseconds(ticks, stream.pointee.time_base)
    }

    private static func nanoseconds(_ ticks: Int64, _ timeBase: AVRational) -> Nanoseconds {
        Nanoseconds(av_rescale_q(ticks, timeBase, AVRational(num: 1, den: 1_000_000_000)))
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
            trackTimeline(of: packet)
            if Int(packet.pointee.stream_index) == index { return true }
        }
    }

    /// Adds a packet to the timeline, and corrects the packet's timestamps for all previous timestamp jumps.
    private func trackTimeline(of packet: UnsafeMutablePointer<AVPacket>) {
        let number = Int(packet.pointee.stream_index)
        guard timeline != nil, let source = context.pointee.streams[number]?.pointee else { return }
        func time(_ stamp: Int64) -> Nanoseconds? {
            guard stamp != ff_no_timestamp else { return nil }
            return Self.plausible(Self.nanoseconds(stamp, source.time_base)).flatMap {
                Self.plausible($0 - (origin ?? .zero))
            }
        }
        var presentation = time(packet.pointee.pts)
        if let late = presentation, let decoding = time(packet.pointee.dts),
            late - decoding > FileTimeline.longestPause
        {
            // No decoder reorders frames that are this far apart, so a timestamp jump must lie between the
            // packet's decoding and presentation times. The decoding times show the position of the jump.
            packet.pointee.pts = ff_no_timestamp
            presentation = nil
        }
        // Presentation times of a stream with B-frames aren't monotonic. If such a stream lacks decoding
        // times, as at the beginning of a Matroska file, jumps can't be detected.
        let isReordered = (source.codecpar?.pointee.video_delay ?? 0) > 0
        if let decoding = time(packet.pointee.dts) ?? (isReordered ? nil : presentation) {
            _ = timeline?.add(
                stream: number, time: decoding, delay: max(.zero, (presentation ?? decoding) - decoding),
                duration: Self.plausible(Self.nanoseconds(packet.pointee.duration, source.time_base)) ?? .zero
            )
        }
        guard number == index, let shift = timeline?.shift, shift != .zero else { return }
        if presentation != nil { packet.pointee.pts += ticks(shift) }
        if time(packet.pointee.dts) != nil { packet.pointee.dts += ticks(shift) }
    }

    /// Opens a decoder with the stream parameters from the file.
    func makeDecoder() throws(EncodingError) -> OwnedCodec {
        let media = parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO ? "video" : "audio"
        guard parameters.pointee.codec_id != AV_CODEC_ID_NONE else {
            throw EncodingError(
                subject: path, operation: "decoding",
                reason: "the installed FFmpeg does not support the codec of the file's \(media)\(codecTag)")
        }
        guard avcodec_find_decoder(parameters.pointee.codec_id) != nil else {
            throw EncodingError(
                subject: path, operation: "decoding",
                reason:
                    "the installed FFmpeg can't decode the file's \(media): the \(codecName) decoder is missing"
            )
        }
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

extension FrameRate {
    /// Creates a frame rate from a rational number of libavformat; `nil` unless the rate is above 0 and at
    /// most 1000.
    init?(_ rate: AVRational) {
        guard rate.num > 0, rate.den > 0, Int64(rate.num) <= 1000 * Int64(rate.den) else { return nil }
        self.init(Int64(rate.num), per: Int64(rate.den))
    }
}

/// Timeline shared by all audio and video streams of a media file.
///
/// Time 0 is the earliest first timestamp of all streams, so each stream keeps its offset to the other
/// streams. A timestamp jump, such as at the join of two MPEG-TS recordings, shifts all later times so that
/// the file continues without a gap, as in a player. All streams are shifted by the same amount and stay in
/// sync. `FileTimeline` is a value type without side effects.
struct FileTimeline {
    /// A jump in the file's timestamps.
    struct Jump: Equatable {
        /// Time of the jump on the timeline.
        let at: Nanoseconds
        /// Length of the jump; negative for a backward jump.
        let length: Nanoseconds
    }

    /// Whether timestamps may jump in this file format, as in MPEG-TS. In other formats, a forward step of
    /// the timestamps is a gap in the recording, unless the step is long and no stream of the file has
    /// content during that time.
    let mayJump: Bool
    /// The offset that is currently added to file times.
    private(set) var shift = Nanoseconds.zero
    /// End of the last packet of any stream.
    private(set) var end = Nanoseconds.zero
    /// The timestamp jumps found so far, in order.
    private(set) var jumps: [Jump] = []
    /// For each stream, the expected time of the next packet and the time of the last packet.
    private var expected: [Int: (next: Nanoseconds, last: Nanoseconds)] = [:]

    /// Longest forward step that counts as a gap in the file instead of a timestamp jump: ffmpeg's
    /// `dts_delta_threshold`.
    private static let longestGap = Nanoseconds.seconds(10)
    /// Longest forward step that counts as a gap in formats other than MPEG-TS. The limit is higher because a
    /// screen recording contains no frames while the screen is static.
    static let longestPause = Nanoseconds.seconds(60)
    /// Longest backward step that counts as an imprecise timestamp instead of a timestamp jump.
    private static let longestBackwardStep = Nanoseconds.milliseconds(100)

    init(mayJump: Bool) {
        self.mayJump = mayJump
    }

    /// Adds the next packet in file order.
    ///
    /// - Parameters:
    ///   - stream: Index of the packet's stream.
    ///   - time: Decoding time since the earliest first timestamp, without `shift`.
    ///   - delay: Time from decoding to presentation of the packet.
    ///   - duration: Duration of the packet; zero if the duration is unknown.
    /// - Returns: Whether the timestamps jump at this packet. If the result is `true`, `shift` has already
    ///   been updated.
    mutating func add(
        stream: Int, time: Nanoseconds, delay: Nanoseconds = .zero, duration: Nanoseconds
    ) -> Bool {
        var placed = time + shift
        let longest = mayJump ? Self.longestGap : Self.longestPause
        let known = expected[stream]
        let next = known?.next ?? end
        let step = placed - next
        // A stream may begin later than the others, or pause while another one continues.
        let hole = mayJump ? step : known.map { placed - max($0.next, end) } ?? .zero
        let isForward = hole > longest
        // A stream that begins later than the others doesn't have a last packet to compare with.
        let isBackward =
            known.map { placed < $0.last - Self.longestBackwardStep }
            ?? (mayJump && step < .zero - Self.longestGap)
        let doesJump = isForward || isBackward
        if doesJump {
            let length = isForward ? hole : step
            jumps.append(Jump(at: placed - length, length: length))
            shift = shift - length
            placed = placed - length
        }
        // MP4 files store the time to the next packet as a packet's duration, even if the timestamps jump.
        let isStated = duration > .zero && duration <= longest
        let length = min(
            isStated ? duration : known.map { max(.zero, placed - $0.last) } ?? .zero, longest)
        expected[stream] = (placed + length, placed)
        end = max(end, placed + min(delay, longest) + length)
        return doesJump
    }
}
