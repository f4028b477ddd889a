internal import CMulticamMedia
internal import MulticamEncoding
internal import MulticamMedia

/// A libavformat connection with a deadline for every call. Use this type only on the thread that creates it.
///
/// The demuxer is determined by the protocol and may open only listed protocols, so no data from a camera can
/// make libavformat read a file. After the first connection attempt has started, no other connection may be opened, so
/// redirects are never followed.
final class LibraryStream {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let deadline: CallDeadline
    private let address: SourceAddress
    private let packet: UnsafeMutablePointer<AVPacket>
    /// The best video stream; `nil` if there isn't one.
    let video: UnsafeMutablePointer<AVStream>?
    /// The best audio stream; `nil` if there isn't one.
    let audio: UnsafeMutablePointer<AVStream>?

    /// Maximum time to connect and to receive the first frames, which reveal the format.
    private static let connectTimeout = Nanoseconds.seconds(8)
    /// Maximum time without data.
    private static let readTimeout = Nanoseconds.seconds(3)
    /// Maximum size of a frame in bytes.
    static let longestFrame = 32 << 20
    /// Maximum number of streams of a camera. libavformat needs 0.9 MB for each media line of a session description,
    /// and allows 1,000 by default.
    private static let mostStreams: Int32 = 16
    /// Protocols that an RTSP session may open in addition to its control connection: sockets for media over UDP. A
    /// redirect would need another control connection.
    private static let mediaProtocols = "rtp,srtp,udp"

    /// Connects, and reads until the formats are known.
    ///
    /// - Parameters:
    ///   - address: Address of the camera.
    ///   - wantsAudio: Whether to open the audio stream as well.
    ///   - cancellation: Cancels the connection immediately.
    /// - Throws: `SourceError` if the camera delivers no data.
    init(_ address: SourceAddress, wantsAudio: Bool, _ cancellation: Cancellation) throws(SourceError) {
        self.address = address
        deadline = CallDeadline(cancellation)
        guard let allocated = avformat_alloc_context(), let packet = av_packet_alloc() else {
            throw .lost("\(address): out of memory.")
        }
        allocated.pointee.interrupt_callback = deadline.callback
        allocated.pointee.max_analyze_duration = 2_000_000
        allocated.pointee.probesize = 5 << 20
        allocated.pointee.max_streams = Self.mostStreams
        if address.kind == .rtsp {
            deadline.onFirstInterruptCheck = {
                av_opt_set(allocated, "protocol_whitelist", Self.mediaProtocols, 0)
            }
        }
        self.packet = packet
        var options = Self.options(of: address)
        defer { av_dict_free(&options) }
        let demuxer: String =
            switch address.kind {
            case .rtsp: "rtsp"
            case .srt: "mpegts"
            case .rtmp, .http, .screen: "flv"
            }
        var opened: UnsafeMutablePointer<AVFormatContext>? = allocated
        deadline.allow(Self.connectTimeout)
        media_forget_messages()
        var code = avformat_open_input(
            &opened, Self.url(of: address), av_find_input_format(demuxer), &options)
        guard code >= 0, let context = opened else {
            var packet: UnsafeMutablePointer<AVPacket>? = packet
            av_packet_free(&packet)
            throw Self.error(code, address, isOver: deadline.shouldInterrupt)
        }
        self.context = context
        code = avformat_find_stream_info(context, nil)
        func best(_ type: AVMediaType) -> UnsafeMutablePointer<AVStream>? {
            let index = av_find_best_stream(context, type, -1, -1, nil, 0)
            guard index >= 0, index < context.pointee.nb_streams else { return nil }
            return context.pointee.streams[Int(index)]
        }
        video = best(AVMEDIA_TYPE_VIDEO)
        audio = wantsAudio ? best(AVMEDIA_TYPE_AUDIO) : nil
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[index], stream != video, stream != audio else {
                continue
            }
            stream.pointee.discard = AVDISCARD_ALL
        }
        guard code >= 0 else { throw Self.error(code, address, isOver: deadline.shouldInterrupt) }
    }

    deinit {
        deadline.allow(.milliseconds(300), isCancellable: false)
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
        var packet: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&packet)
    }

    /// Reads the next packet, which is valid until the next call.
    func read() throws(SourceError) -> UnsafeMutablePointer<AVPacket> {
        while true {
            av_packet_unref(packet)
            deadline.allow(Self.readTimeout)
            let code = av_read_frame(context, packet)
            if code == ff_try_again { continue }
            guard code >= 0 else {
                if code == ff_end_of_file { throw .lost("\(address) ended the stream.") }
                if deadline.shouldInterrupt { throw timeoutError }
                throw Self.error(code, address, isOver: false)
            }
            // When a call is interrupted, libavformat flushes its parsers. The flushed data isn't reliable.
            if deadline.shouldInterrupt { throw timeoutError }
            guard Int(packet.pointee.size) <= Self.longestFrame else {
                throw .refused("\(address) sent a frame that exceeds the size limit.")
            }
            return packet
        }
    }

    private var timeoutError: SourceError { .lost("no data was received from \(address) for 3 s.") }

    /// Converts a stream's timestamp to nanoseconds; `nil` if the timestamp is missing or out of range.
    static func time(_ stamp: Int64, of stream: UnsafeMutablePointer<AVStream>) -> Nanoseconds? {
        guard stamp != ff_no_timestamp else { return nil }
        let count = av_rescale_q(stamp, stream.pointee.time_base, AVRational(num: 1, den: 1_000_000_000))
        // The limit is about 100 years; larger values would overflow 64 bits.
        return Nanoseconds(count).magnitude < .seconds(3_000_000_000) ? Nanoseconds(count) : nil
    }

    /// Returns the frame rate that libavformat reports for a stream; `nil` if it reports no plausible rate.
    func guessedRate(of stream: UnsafeMutablePointer<AVStream>) -> FrameRate? {
        let rate = av_guess_frame_rate(context, stream, nil)
        guard rate.num > 0, rate.den > 0, rate.num / rate.den <= 240 else { return nil }
        return FrameRate(Int64(rate.num), per: Int64(rate.den))
    }

    // MARK: Connection options

    private static func url(of address: SourceAddress) -> String {
        guard address.kind == .srt else { return String(address.text.prefix { $0 != "#" }) }
        // The settings are passed as options, so that the URL can't add other settings.
        return "srt://\(address.host.contains(":") ? "[\(address.host)]" : address.host):\(address.port)"
    }

    private static func options(of address: SourceAddress) -> OpaquePointer? {
        var options: OpaquePointer?
        func set(_ name: String, _ value: String) { av_dict_set(&options, name, value, 0) }
        switch address.kind {
        case .rtsp:
            set("protocol_whitelist", address.isEncrypted ? "rtp,srtp,udp,tcp,tls" : "rtp,udp,tcp")
            set("rtsp_flags", "prefer_tcp")
            set("allowed_media_types", "video+audio")
            set("user_agent", "multicam")
        case .srt:
            set("protocol_whitelist", "srt")
            let settings = address.srt ?? SRTSettings()
            set("mode", settings.mode.rawValue)
            set("latency", "\(settings.latency.count / 1000)")
            set("connect_timeout", "3000")
            set("transtype", "live")
            if let passphrase = settings.passphrase {
                set("passphrase", passphrase.value)
                set("pbkeylen", "\(settings.keyLength)")
            }
            if let stream = settings.streamID { set("streamid", stream.value) }
        case .rtmp, .http:
            set("protocol_whitelist", address.isEncrypted ? "rtmps,rtmp,tls,tcp" : "rtmp,tcp")
            set("rtmp_live", "live")
        case .screen: break
        }
        return options
    }

    private static func error(_ code: Int32, _ address: SourceAddress, isOver: Bool) -> SourceError {
        let errors: [Int32: SourceError] = [
            ff_unauthorized: .refused(
                "\(address) rejected the user name or password. Specify both in the address: rtsp://USER:PASSWORD@…"
            ),
            ff_forbidden: .refused("\(address) does not allow access for this user."),
            ff_not_found: .refused(
                "\(address) reports that the path does not exist. Look up the path in the camera's settings or manual."
            ),
            ff_protocol_not_found: .refused("\(address) uses a protocol that is not supported."),
            ff_error_from_errno(111): .lost("\(address) refused the connection."),
            ff_error_from_errno(113): .lost("there is no network route to \(address)."),
            ff_error_from_errno(110): .lost("\(address) is not responding."),
            ff_error_from_errno(98): .refused(
                "port \(address.port) of this computer is in use by another program."),
            ff_exit: .lost("\(address) closed the connection."),
            ff_invalid_data: .lost("\(address) sent an invalid response."),
        ]
        if isOver {
            return address.srt?.mode == .listener
                ? .lost("waiting for a connection at \(address).")
                : .lost("\(address) did not respond in time.")
        }
        if address.kind == .rtsp, String(cString: media_messages()).contains("not on whitelist") {
            return .refused(
                "\(address) redirects to another address. Redirects are not followed. Use the other address instead."
            )
        }
        if let error = errors[code] { return error }
        var text = [CChar](repeating: 0, count: 128)
        av_strerror(code, &text, text.count)
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .lost("\(address) cannot be read: \(words.printable(limit: 100).lowercased()).")
    }
}
