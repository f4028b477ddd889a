internal import CGStreamer
// GLib is in both modules, and its types belong to the first one.
internal import CSoup
internal import Glibc
internal import Media

/// Sends H.264 and Opus to one WebRTC peer: GStreamer's `webrtcbin` and what it needs before it.
///
/// One thread uses it. GStreamer's own threads encode and send; nothing here waits for them but `offer` and `accept`. Buffers have their
/// capture times, of `CLOCK_MONOTONIC`, as their running time, so that the peer lines audio and video up by them.
final class WebRTCPeer {
    private let pipeline: UnsafeMutablePointer<GstElement>
    private let webrtc: UnsafeMutablePointer<GstElement>
    private let video: UnsafeMutablePointer<GstAppSrc>
    private let audio: UnsafeMutablePointer<GstAppSrc>
    private let place: String

    /// State of a peer connection (W3C WebRTC 1.0, RTCPeerConnectionState, as GStreamer numbers it).
    private enum ConnectionState: gint {
        case new, connecting, connected, disconnected, failed, closed
    }

    /// Makes the pipeline.
    ///
    /// - Parameters:
    ///   - profile: Of the H.264 that will be sent.
    ///   - channels: Of the audio that will be sent: 1 or 2.
    ///   - place: The peer, for messages.
    /// - Throws: `PublishingError.refused` where a part of GStreamer is not installed.
    init(_ profile: H264Profile, channels: Int, place: String) throws(PublishingError) {
        gst_init(nil, nil)
        self.place = place
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
        "a part of GStreamer is missing: install the packages gstreamer1.0-plugins-bad, gstreamer1.0-plugins-good and gstreamer1.0-nice."
    )

    private static func description(_ profile: H264Profile, channels: Int) -> String {
        // Bounded: what finds no room is dropped, the oldest first. Nothing is stamped on arrival.
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
        // The peer is told capture times; by default it would be told when packets were sent, and take video for late.
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

    // MARK: Signalling

    /// Describes what will be sent, with all candidates of this machine.
    ///
    /// - Throws: `PublishingError.lost` when webrtcbin makes no offer until `deadline`.
    func offer(until deadline: ClockTime, _ cancellation: Cancellation) throws(PublishingError) -> String {
        let reply = try Promise.kept(until: deadline, cancellation, place) {
            gst_webrtc_create_offer(webrtc, $0)
        }
        guard let offer = reply.description("offer") else {
            throw .lost("\(place): no offer can be made.")
        }
        _ = try Promise.kept(until: deadline, cancellation, place) {
            gst_webrtc_describe(webrtc, "set-local-description", offer, $0)
        }
        // GST_WEBRTC_ICE_GATHERING_STATE_COMPLETE
        try wait(until: deadline, cancellation, "no address of this machine is found") {
            number("ice-gathering-state") == 2
        }
        var value = GValue()
        g_object_get_property(object(webrtc), "local-description", &value)
        defer { g_value_unset(&value) }
        let description = g_value_get_boxed(&value)?.assumingMemoryBound(to: gst_webrtc_description.self)
        guard let description, let text = gst_sdp_message_as_text(description.pointee.sdp) else {
            throw .lost("\(place): no offer can be made.")
        }
        defer { g_free(text) }
        return Self.offered(String(cString: text))
    }

    /// The offer with the H.264 profile by which all know H.264, Constrained Baseline at any level, as OBS Studio offers it: browsers and
    /// servers refuse other names, and decode what comes.
    static func offered(_ text: String) -> String {
        text.replacing(
            /profile-level-id=[0-9a-fA-F]{6}/, with: "profile-level-id=42e01f;level-asymmetry-allowed=1")
    }

    /// Takes the peer's answer, and waits for the connection.
    ///
    /// - Throws: `PublishingError.lost` when the peer is not reached until `deadline`.
    func accept(
        _ answer: SessionDescription, until deadline: ClockTime, _ cancellation: Cancellation
    ) throws(PublishingError) {
        var message: UnsafeMutablePointer<GstSDPMessage>?
        guard gst_sdp_message_new_from_text(answer.text, &message) == GST_SDP_OK, let message else {
            throw .lost("\(place) answers with no session description.")
        }
        defer { gst_sdp_message_free(message) }
        var description = gst_webrtc_description(type: 3, sdp: message)
        _ = try Promise.kept(until: deadline, cancellation, place) {
            gst_webrtc_describe(webrtc, "set-remote-description", &description, $0)
        }
        try wait(
            until: deadline, cancellation,
            "it answers, but cannot be reached over UDP; a firewall may be between"
        ) { () throws(PublishingError) in
            try check()
            return state == .connected
        }
        reportOften()
    }

    /// Has sender reports sent twice a second in place of every five seconds: by them the peer lines audio and video up, and before the
    /// first ones both are as far apart as they happened to arrive.
    private func reportOften() {
        guard let session else { return }
        defer { g_object_unref(session) }
        gst_util_set_object_arg(object(session), "rtcp-min-interval", "500000000")
    }

    /// The RTP session, which the caller releases; `nil` before it is there.
    private var session: UnsafeMutableRawPointer? {
        let rtp = webrtc.withMemoryRebound(to: GstBin.self, capacity: 1) { gst_bin_get_by_name($0, "rtpbin") }
        guard let rtp else { return nil }
        defer { gst_object_unref(rtp) }
        return gst_webrtc_session(rtp, 0)
    }

    /// - Throws: `PublishingError.lost` when the peer has gone, or a part of the pipeline has failed.
    func check() throws(PublishingError) {
        switch state {
        case .disconnected, .failed, .closed: throw .lost("\(place) does not answer any more.")
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
        throw .lost("\(place): GStreamer fails: \(text.printable())")
    }

    private func wait(
        until deadline: ClockTime, _ cancellation: Cancellation, _ reason: String,
        _ condition: () throws(PublishingError) -> Bool
    ) throws(PublishingError) {
        while try !condition() {
            guard MonotonicClock().now < deadline else { throw .lost("\(place): \(reason).") }
            // No signal tells of these states without code on GStreamer's threads.
            if cancellation.wait(until: MonotonicClock().now + .milliseconds(10)) {
                throw .lost("\(place) was not connected.")
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

    /// Sends an access unit, without copying it.
    ///
    /// - Parameters:
    ///   - unit: Annex B.
    ///   - setup: Parameter sets to stand before it.
    ///   - at: When it is shown.
    func sendVideo(_ unit: SharedBytes, after setup: [UInt8], at: ClockTime) {
        guard let buffer = Self.lend(unit) else { return }
        let whole: UnsafeMutablePointer<GstBuffer>
        if !setup.isEmpty, let head = gst_buffer_new_memdup(setup, gsize(setup.count)) {
            whole = gst_buffer_append(head, buffer)
        } else {
            whole = buffer
        }
        push(whole, at, into: video)
    }

    /// Sends samples.
    ///
    /// - Parameters:
    ///   - samples: Interleaved, at 48 kHz.
    ///   - channels: As the peer was made for.
    ///   - at: Time of the first one.
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
        // What is refused, when the pipeline has failed, is released; `check` tells of it.
        _ = gst_app_src_push_buffer(source, buffer)
    }

    private static func lend(_ bytes: SharedBytes) -> UnsafeMutablePointer<GstBuffer>? {
        gst_buffer_new_wrapped_full(
            GST_MEMORY_FLAG_READONLY, bytes.start, gsize(bytes.count), 0, gsize(bytes.count),
            Unmanaged.passRetained(bytes).toOpaque(),
            { holder in if let holder { Unmanaged<SharedBytes>.fromOpaque(holder).release() } })
    }

    // MARK: What the peer confirms

    /// What the peer's last report says of one stream.
    struct Report: Equatable {
        /// Highest sequence number that has arrived, extended to 32 bits.
        var highest: UInt32
        /// Time of our last report that the peer has, in NTP's short format.
        var answered: UInt32 = 0
        /// Packets that have not arrived.
        var lost: Int32
        /// `nil` until the peer has answered a report of ours.
        var roundTrip: Nanoseconds?
    }

    /// The peer's newest report (RFC 3550, 6.4.1); `nil` while there is none.
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

    /// The report of one source of the session, as rtpsource.c describes it.
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

/// An answer that webrtcbin will give on a thread of its own.
private final class Promise {
    private let pointer: UnsafeMutablePointer<GstPromise>

    private init(_ pointer: UnsafeMutablePointer<GstPromise>) { self.pointer = pointer }

    deinit { gst_promise_unref(pointer) }

    /// Asks webrtcbin, and waits for its answer.
    ///
    /// - Throws: `PublishingError.lost` when there is none until `deadline`, or it is an error.
    static func kept(
        until deadline: ClockTime, _ cancellation: Cancellation, _ place: String,
        _ ask: (UnsafeMutablePointer<GstPromise>) -> Void
    ) throws(PublishingError) -> Promise {
        let answered = Cancellation()
        let made = gst_promise_new_with_change_func(
            { _, context in
                if let context { Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().cancel() }
            }, Unmanaged.passRetained(answered).toOpaque(),
            { context in if let context { Unmanaged<Cancellation>.fromOpaque(context).release() } })
        guard let made else { throw .lost("\(place): GStreamer has no memory.") }
        let promise = Promise(made)
        // webrtcbin takes a reference of its own and gives it back.
        ask(made)
        guard answered.wait(until: deadline), gst_promise_wait(made) == GST_PROMISE_RESULT_REPLIED else {
            throw .lost("\(place): webrtcbin does not answer in time.")
        }
        guard let reply = gst_promise_get_reply(made), gst_structure_has_field(reply, "error") != 0 else {
            return promise
        }
        throw .lost("\(place): its answer and the offer do not fit together.")
    }

    /// A description in the answer; valid as long as this object is.
    func description(_ field: String) -> UnsafePointer<gst_webrtc_description>? {
        guard let reply = gst_promise_get_reply(pointer), let value = gst_structure_get_value(reply, field)
        else { return nil }
        return UnsafePointer(g_value_get_boxed(value)?.assumingMemoryBound(to: gst_webrtc_description.self))
    }
}
