internal import CMedia
internal import Encoding
internal import Media

/// A connection by libavformat, with a deadline for every call. Belongs to the thread that makes it.
///
/// The demuxer is the protocol's own, and the protocols that it may open are listed: nothing that a camera sends or redirects to makes it
/// read a file or fetch another address.
final class LibraryStream {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let deadline: CallDeadline
    private let address: SourceAddress
    private let packet: UnsafeMutablePointer<AVPacket>
    /// The best video stream; `nil` where there is none.
    let video: UnsafeMutablePointer<AVStream>?
    /// The best audio stream; `nil` where there is none.
    let audio: UnsafeMutablePointer<AVStream>?

    /// How long the connection may take, with the first frames to know their format.
    private static let greeting = Nanoseconds.seconds(8)
    /// How long nothing may come.
    private static let silence = Nanoseconds.seconds(3)
    /// Most bytes of a frame.
    private static let longestFrame: Int32 = 32 << 20

    /// Connects, and reads so much that the formats are known.
    ///
    /// - Parameters:
    ///   - address: Where to.
    ///   - wantsAudio: Whether to take the audio, too.
    ///   - cancellation: Ends it at once.
    /// - Throws: `SourceError`: why the camera does not deliver.
    init(_ address: SourceAddress, wantsAudio: Bool, _ cancellation: Cancellation) throws(SourceError) {
        self.address = address
        deadline = CallDeadline(cancellation)
        guard let allocated = avformat_alloc_context(), let packet = av_packet_alloc() else {
            throw .lost("no memory is left for \(address).")
        }
        allocated.pointee.interrupt_callback = deadline.callback
        allocated.pointee.max_analyze_duration = 2_000_000
        allocated.pointee.probesize = 5 << 20
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
        deadline.allow(Self.greeting)
        media_forget_messages()
        var code = avformat_open_input(
            &opened, Self.url(of: address), av_find_input_format(demuxer), &options)
        guard code >= 0, let context = opened else {
            var packet: UnsafeMutablePointer<AVPacket>? = packet
            av_packet_free(&packet)
            throw Self.error(code, address, isOver: deadline.isOver)
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
        guard code >= 0 else { throw Self.error(code, address, isOver: deadline.isOver) }
        try checkHost()
    }

    deinit {
        deadline.allow(.milliseconds(300), hears: false)
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
        var packet: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&packet)
    }

    /// Reads the next packet, which is valid until the next call.
    func read() throws(SourceError) -> UnsafeMutablePointer<AVPacket> {
        while true {
            av_packet_unref(packet)
            deadline.allow(Self.silence)
            let code = av_read_frame(context, packet)
            if code == ff_try_again { continue }
            guard code >= 0 else {
                if code == ff_end_of_file { throw .lost("\(address) has ended the stream.") }
                if deadline.isOver { throw silent }
                throw Self.error(code, address, isOver: false)
            }
            // libavformat gives out what its parsers hold when a call is interrupted: nothing follows it that could be relied on.
            if deadline.isOver { throw silent }
            guard packet.pointee.size <= Self.longestFrame else {
                throw .refused("\(address) sends frames that are larger than any camera's.")
            }
            return packet
        }
    }

    private var silent: SourceError { .lost("nothing has come from \(address) for 3 s.") }

    /// A stream's time stamp in nanoseconds; `nil` where it has none, or an impossible one.
    static func time(_ stamp: Int64, of stream: UnsafeMutablePointer<AVStream>) -> Nanoseconds? {
        guard stamp != ff_no_timestamp else { return nil }
        let count = av_rescale_q(stamp, stream.pointee.time_base, AVRational(num: 1, den: 1_000_000_000))
        // A hundred years: what is beyond would not stay within 64 bits.
        return Nanoseconds(count).magnitude < .seconds(3_000_000_000) ? Nanoseconds(count) : nil
    }

    /// What the library says of a stream's rate; `nil` where it says nothing that is possible.
    func guessedRate(of stream: UnsafeMutablePointer<AVStream>) -> FrameRate? {
        let rate = av_guess_frame_rate(context, stream, nil)
        guard rate.num > 0, rate.den > 0, rate.num / rate.den <= 240 else { return nil }
        return FrameRate(Int64(rate.num), per: Int64(rate.den))
    }

    // MARK: How to connect

    private static func url(of address: SourceAddress) -> String {
        guard address.kind == .srt else { return String(address.text.prefix { $0 != "#" }) }
        // Its settings are options, so that no other ones get in.
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

    /// Ends a connection that the camera has sent to another host.
    private func checkHost() throws(SourceError) {
        guard address.kind == .rtsp, let url = context.pointee.url else { return }
        let text = String(cString: url)
        let place = text.dropFirst(text.prefix { $0 != ":" }.count + 3).prefix { $0 != "/" && $0 != "?" }
        let host = place.split(separator: "@").last ?? ""
        let own = address.host.contains(":") ? "[\(address.host)]" : address.host
        guard host == own || host.hasPrefix(own + ":") else {
            throw .refused(
                "\(address) sends its callers to another host, which is not followed: give that one's address."
            )
        }
    }

    private static func error(_ code: Int32, _ address: SourceAddress, isOver: Bool) -> SourceError {
        let errors: [Int32: SourceError] = [
            ff_unauthorized: .refused(
                "\(address) wants another user or password: write them into the address, as rtsp://USER:PASSWORD@…"
            ),
            ff_forbidden: .refused("\(address) does not let this user in."),
            ff_not_found: .refused("\(address) has no such path: look at what the camera's pages call it."),
            ff_protocol_not_found: .refused("\(address) leads to a protocol that is not followed."),
            ff_error_from_errno(111): .lost("nobody listens at \(address)."),
            ff_error_from_errno(113): .lost("the network does not lead to \(address)."),
            ff_error_from_errno(110): .lost("\(address) does not answer."),
            ff_error_from_errno(98): .refused(
                "port \(address.port) of this computer is taken by another program."),
            ff_exit: .lost("\(address) has ended the connection."),
            ff_invalid_data: .lost("\(address) answers what is not understood."),
        ]
        if isOver {
            return address.srt?.mode == .listener
                ? .lost("nobody has called at \(address) yet.") : .lost("\(address) does not answer in time.")
        }
        if let error = errors[code] { return error }
        var text = [CChar](repeating: 0, count: 128)
        av_strerror(code, &text, text.count)
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .lost("\(address) cannot be read: \(words.printable(limit: 100).lowercased()).")
    }
}
