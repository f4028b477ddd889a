internal import CMulticamGStreamer
// Both modules include GLib. GLib's types belong to the module that is imported first.
internal import CMulticamSoup
internal import Glibc
internal import MulticamMedia

/// Sends H.264 and Opus to one WebRTC peer, using a GStreamer pipeline with the element `webrtcbin`.
///
/// Use this type from only one thread. GStreamer's threads encode and send the media. Only the methods
/// `offer` and `accept` wait for these threads. The running time of each buffer is its capture time on
/// `CLOCK_MONOTONIC`, which the peer uses to synchronize audio and video.
final class WebRTCPeer {
    private let pipeline: UnsafeMutablePointer<GstElement>
    private let webrtc: UnsafeMutablePointer<GstElement>
    private let video: UnsafeMutablePointer<GstAppSrc>
    private let audio: UnsafeMutablePointer<GstAppSrc>
    private let printable: String

    /// State of a peer connection (W3C WebRTC 1.0, RTCPeerConnectionState, with GStreamer's numbers).
    private enum ConnectionState: gint {
        case new, connecting, connected, disconnected, failed, closed
    }

    /// Creates the GStreamer pipeline for a peer.
    ///
    /// - Parameters:
    ///   - profile: Profile of the H.264 stream.
    ///   - channels: Number of audio channels: 1 or 2.
    ///   - place: The name of the peer, for messages.
    /// - Throws: `PublishingError.refused` if a GStreamer plugin is missing.
    init(_ profile: H264Profile, channels: Int, place: String) throws(PublishingError) {
        gst_init(nil, nil)
        self.printable = place
        let made = gst_parse_launch(Self.description(profile, channels: channels), nil)
        guard let made else { throw Self.incomplete }
        pipeline = made
        func part(_ name: String) -> UnsafeMutablePointer<GstElement>? {
            made.withMemoryRebound(to: GstBin.self, capacity: 1) { gst_bin_get_by_name($0, name) }
        }
        guard let webrtc = part("webrtc"), let video = part("video"), let audio = part("audio") else {
            gst_object_unref(made)
            throw Self.incomplete
        }
        self.webrtc = webrtc
        self.video = UnsafeMutableRawPointer(video).assumingMemoryBound(to: GstAppSrc.self)
        self.audio = UnsafeMutableRawPointer(audio).assumingMemoryBound(to: GstAppSrc.self)
        prepare()
    }

    deinit {
        gst_element_set_state(pipeline, GST_STATE_NULL)
        gst_object_unref(video)
        gst_object_unref(audio)
        gst_object_unref(webrtc)
        gst_object_unref(pipeline)
    }

    private static let incomplete = PublishingError.refused(
        "GStreamer plugins are missing. Install the packages gstreamer1.0-plugins-bad, gstreamer1.0-plugins-good and gstreamer1.0-nice."
    )

    private static func description(_ profile: H264Profile, channels: Int) -> String {
        // The source's queue is bounded, and the oldest buffers are dropped when the queue is full. Buffers
        // keep their own timestamps instead of being timestamped on arrival.
        let source = "is-live=true format=time block=false max-bytes=4000000 leaky-type=downstream"
        return """
            webrtcbin name=webrtc bundle-policy=max-bundle latency=0
            appsrc name=video \(source) caps=video/x-h264,stream-format=byte-stream,alignment=au
            ! h264parse ! rtph264pay config-interval=-1 aggregate-mode=zero-latency mtu=1200
            ! application/x-rtp,media=video,encoding-name=H264,payload=96,clock-rate=90000,packetization-mode=(string)1,profile-level-id=(string)\(profile.levelID)
            ! webrtc.
            appsrc name=audio \(source) caps=audio/x-raw,format=F32LE,rate=48000,channels=\(channels),layout=interleaved
            ! audioconvert ! opusenc bitrate=128000 ! rtpopuspay
            ! application/x-rtp,media=audio,encoding-name=OPUS,payload=98,clock-rate=48000,encoding-params=(string)2
            ! webrtc.
            """
    }

    private func prepare() {
        for number in 0..<gint(SessionDescription.offered.count) {
            guard let transceiver = gst_webrtc_transceiver(webrtc, number) else { continue }
            gst_util_set_object_arg(object(transceiver), "direction", "sendonly")
            if number == 0 { gst_util_set_object_arg(object(transceiver), "do-nack", "true") }
            g_object_unref(transceiver)
        }
        // Send capture times to the peer. By default, GStreamer sends transmission times, which make the video appear
        // late.
        if let rtp = webrtc.withMemoryRebound(
            to: GstBin.self, capacity: 1, { gst_bin_get_by_name($0, "rtpbin") })
        {
            gst_util_set_object_arg(object(rtp), "rtcp-sync-send-time", "false")
            gst_object_unref(rtp)
        }
        let clock = gst_system_clock_obtain()
        pipeline.withMemoryRebound(to: GstPipeline.self, capacity: 1) { gst_pipeline_use_clock($0, clock) }
        gst_object_unref(clock)
        gst_element_set_start_time(pipeline, GstClockTime.max)
        gst_element_set_base_time(pipeline, 0)
        gst_element_set_state(pipeline, GST_STATE_PLAYING)
    }

    // MARK: Signaling

    /// Creates the offer, including all ICE candidates of this computer.
    ///
    /// - Throws: `PublishingError.lost` if `webrtcbin` doesn't create an offer before `deadline`.
    func offer(until deadline: ClockTime, _ cancellation: Cancellation) throws(PublishingError) -> String {
        let reply = try Promise.waitForReply(until: deadline, cancellation, printable) {
            gst_webrtc_create_offer(webrtc, $0)
        }
        guard let offer = reply.description("offer") else {
            throw .lost("\(printable): the SDP offer cannot be created.")
        }
        _ = try Promise.waitForReply(until: deadline, cancellation, printable) {
            gst_webrtc_describe(webrtc, "set-local-description", offer, $0)
        }
        // Wait for the state `GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE`.
        try wait(until: deadline, cancellation, "no network address of this computer was found") {
            number("ice-gathering-state") == 2
        }
        var value = GValue()
        g_object_get_property(object(webrtc), "local-description", &value)
        defer { g_value_unset(&value) }
        let description = g_value_get_boxed(&value)?.assumingMemoryBound(to: gst_webrtc_description.self)
        guard let description, let text = gst_sdp_message_as_text(description.pointee.sdp) else {
            throw .lost("\(printable): the SDP offer cannot be created.")
        }
        defer { g_free(text) }
        return Self.withBaselineProfile(String(cString: text))
    }

    /// Returns the offer with its H.264 profile replaced by Constrained Baseline, with any level permitted,
    /// as in OBS Studio. Browsers and servers reject other profiles in an offer, although they can decode the
    /// actual stream.
    static func withBaselineProfile(_ text: String) -> String {
        text.replacing(
            /profile-level-id=[0-9a-fA-F]{6}/, with: "profile-level-id=42e01f;level-asymmetry-allowed=1")
    }

    /// Applies the peer's answer and waits for the connection.
    ///
    /// - Throws: `PublishingError.lost` if the peer isn't reachable before `deadline`.
    func accept(
        _ answer: SessionDescription, until deadline: ClockTime, _ cancellation: Cancellation
    ) throws(PublishingError) {
        var message: UnsafeMutablePointer<GstSDPMessage>?
        guard gst_sdp_message_new_from_text(answer.text, &message) == GST_SDP_OK, let message else {
            throw .lost("\(printable) did not return a valid session description.")
        }
        defer { gst_sdp_message_free(message) }
        var description = gst_webrtc_description(type: 3, sdp: message)
        _ = try Promise.waitForReply(until: deadline, cancellation, printable) {
            gst_webrtc_describe(webrtc, "set-remote-description", &description, $0)
        }
        try wait(
            until: deadline, cancellation,
            "the server responded, but cannot be reached over UDP; check the firewall"
        ) { () throws(PublishingError) in
            try check()
            return state == .connected
        }
        shortenReportInterval()
    }

    /// Sends RTCP sender reports twice per second instead of every five seconds. The peer needs these reports
    /// to synchronize audio and video. Until the first reports arrive, the peer plays audio and video
    /// according to their arrival times.
    private func shortenReportInterval() {
        guard let session else { return }
        defer { g_object_unref(session) }
        gst_util_set_object_arg(object(session), "rtcp-min-interval", "500000000")
    }

    /// The GObject of the RTP session, which the caller must release; `nil` until the session exists.
    private var session: UnsafeMutableRawPointer? {
        let rtp = webrtc.withMemoryRebound(to: GstBin.self, capacity: 1) { gst_bin_get_by_name($0, "rtpbin") }
        guard let rtp else { return nil }
        defer { gst_object_unref(rtp) }
        return gst_webrtc_session(rtp, 0)
    }

    /// Checks whether the connection still works.
    ///
    /// - Throws: `PublishingError.lost` if the peer has disconnected or an element of the pipeline has
    ///   failed.
    func check() throws(PublishingError) {
        switch state {
        case .disconnected, .failed, .closed: throw .lost("\(printable) stopped responding.")
        case .new, .connecting, .connected: break
        }
        guard let bus = gst_element_get_bus(pipeline) else { return }
        defer { gst_object_unref(bus) }
        guard let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) else { return }
        defer { gst_message_unref(message) }
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        let text = error.map { String(cString: $0.pointee.message) } ?? "unknown"
        g_clear_error(&error)
        throw .lost("\(printable): GStreamer failed: \(text.printable())")
    }

    private func wait(
        until deadline: ClockTime, _ cancellation: Cancellation, _ reason: String,
        _ condition: () throws(PublishingError) -> Bool
    ) throws(PublishingError) {
        while try !condition() {
            guard MonotonicClock().now < deadline else { throw .lost("\(printable): \(reason).") }
            // The state is polled, because a signal handler would run on GStreamer's threads.
            if cancellation.wait(until: MonotonicClock().now + .milliseconds(10)) {
                throw .lost("\(printable): the connection attempt was canceled.")
            }
        }
    }

    private var state: ConnectionState { ConnectionState(rawValue: number("connection-state")) ?? .failed }

    private func number(_ property: String) -> gint {
        var value = GValue()
        g_object_get_property(object(webrtc), property, &value)
        defer { g_value_unset(&value) }
        return g_value_get_enum(&value)
    }

    // MARK: Media

    /// Sends an access unit without copying it.
    ///
    /// - Parameters:
    ///   - unit: The access unit in Annex B format.
    ///   - setup: Parameter sets to send before the access unit.
    ///   - at: Presentation time of the access unit.
    func sendVideo(_ unit: SharedBytes, after setup: [UInt8], at: ClockTime) {
        guard let buffer = Self.wrap(unit) else { return }
        let whole: UnsafeMutablePointer<GstBuffer>
        if !setup.isEmpty, let head = gst_buffer_new_memdup(setup, gsize(setup.count)) {
            whole = gst_buffer_append(head, buffer)
        } else {
            whole = buffer
        }
        push(whole, at, into: video)
    }

    /// Sends audio samples.
    ///
    /// - Parameters:
    ///   - samples: Interleaved samples at 48 kHz.
    ///   - channels: Number of channels, as passed to the initializer.
    ///   - at: Capture time of the first sample.
    func sendAudio(_ samples: [Float], channels: Int, at: ClockTime) {
        let buffer = samples.withUnsafeBytes { gst_buffer_new_memdup($0.baseAddress, gsize($0.count)) }
        guard let buffer else { return }
        buffer.pointee.duration = GstClockTime(
            clamping: Int64(samples.count / max(channels, 1)).rescaled(from: 48_000, to: 1_000_000_000))
        push(buffer, at, into: audio)
    }

    private func push(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ at: ClockTime,
        into source: UnsafeMutablePointer<GstAppSrc>
    ) {
        buffer.pointee.pts = GstClockTime(clamping: at.nanoseconds)
        // If the pipeline has failed, the buffer is rejected and released. `check` reports the failure.
        _ = gst_app_src_push_buffer(source, buffer)
    }

    private static func wrap(_ bytes: SharedBytes) -> UnsafeMutablePointer<GstBuffer>? {
        gst_buffer_new_wrapped_full(
            GST_MEMORY_FLAG_READONLY, bytes.start, gsize(bytes.count), 0, gsize(bytes.count),
            Unmanaged.passRetained(bytes).toOpaque(),
            { holder in if let holder { Unmanaged<SharedBytes>.fromOpaque(holder).release() } })
    }

    // MARK: RTCP reports

    /// The peer's last reception report for one stream.
    struct Report: Equatable {
        /// Highest sequence number that the peer has received, extended to 32 bits.
        var highest: UInt32
        /// Timestamp of the last sender report that the peer received, in NTP short format.
        var answered: UInt32 = 0
        /// Number of lost packets according to the peer.
        var lost: Int32
        /// Round-trip time; `nil` until the peer has responded to a sender report.
        var roundTrip: Nanoseconds?
    }

    /// The peer's latest report (RFC 3550, 6.4.1); `nil` until a report arrives.
    var report: Report? {
        guard let session else { return nil }
        defer { g_object_unref(session) }
        var value = GValue()
        g_object_get_property(object(session), "stats", &value)
        defer { g_value_unset(&value) }
        guard let stats = gst_value_get_structure(&value),
            let list = gst_structure_get_value(stats, "source-stats"),
            let sources = g_value_get_boxed(list)?.assumingMemoryBound(to: GValueArray.self).pointee
        else { return nil }
        for index in 0..<Int(sources.n_values) {
            guard let source = gst_value_get_structure(sources.values + index),
                let report = Self.report(in: source)
            else { continue }
            return report
        }
        return nil
    }

    /// Returns the reception report for one source of the RTP session. GStreamer's rtpsource.c defines the
    /// format of the statistics.
    private static func report(in source: UnsafePointer<GstStructure>) -> Report? {
        var (has, lost): (gboolean, gint) = (0, 0)
        var (highest, answered, roundTrip): (guint, guint, guint) = (0, 0, 0)
        gst_structure_get_boolean(source, "have-rb", &has)
        guard has != 0 else { return nil }
        gst_structure_get_uint(source, "rb-exthighestseq", &highest)
        gst_structure_get_uint(source, "rb-lsr", &answered)
        gst_structure_get_int(source, "rb-packetslost", &lost)
        gst_structure_get_uint(source, "rb-round-trip", &roundTrip)
        return Report(
            highest: highest, answered: answered, lost: lost,
            roundTrip: roundTrip == 0 ? nil : .duration(of: Int64(roundTrip), perSecond: 65_536))
    }
}

private func object(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<GObject> {
    pointer.assumingMemoryBound(to: GObject.self)
}

/// A pending reply from `webrtcbin`. The reply arrives on another thread.
private final class Promise {
    private let pointer: UnsafeMutablePointer<GstPromise>

    private init(_ pointer: UnsafeMutablePointer<GstPromise>) { self.pointer = pointer }

    deinit { gst_promise_unref(pointer) }

    /// Sends a request to `webrtcbin` and waits for the reply.
    ///
    /// - Throws: `PublishingError.lost` if no reply arrives before `deadline`, or the reply is an error.
    static func waitForReply(
        until deadline: ClockTime, _ cancellation: Cancellation, _ place: String,
        _ ask: (UnsafeMutablePointer<GstPromise>) -> Void
    ) throws(PublishingError) -> Promise {
        let answered = Cancellation()
        let made = gst_promise_new_with_change_func(
            { _, context in
                if let context { Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().cancel() }
            }, Unmanaged.passRetained(answered).toOpaque(),
            { context in if let context { Unmanaged<Cancellation>.fromOpaque(context).release() } })
        guard let made else { throw .lost("\(place): GStreamer is out of memory.") }
        let promise = Promise(made)
        // `webrtcbin` takes its own reference to the promise, and releases this reference later.
        ask(made)
        guard answered.wait(until: deadline), gst_promise_wait(made) == GST_PROMISE_RESULT_REPLIED else {
            throw .lost("\(place): webrtcbin did not respond in time.")
        }
        guard let reply = gst_promise_get_reply(made), gst_structure_has_field(reply, "error") != 0 else {
            return promise
        }
        throw .lost("\(place): the SDP answer does not match the offer.")
    }

    /// Returns a session description from the reply. The description is valid during this object's lifetime.
    func description(_ field: String) -> UnsafePointer<gst_webrtc_description>? {
        guard let reply = gst_promise_get_reply(pointer), let value = gst_structure_get_value(reply, field)
        else { return nil }
        return UnsafePointer(g_value_get_boxed(value)?.assumingMemoryBound(to: gst_webrtc_description.self))
    }
}
