internal import CMulticamLinux
internal import MulticamMedia

/// A record stream of one source that reports to a `PulseDelivery` on libpulse's thread. The stream ends when its last
/// reference is released, and reports nothing after that.
final class PulseRecordStream: @unchecked Sendable {
    // The pointer is set once. The object behind the pointer is accessed only under the connection's lock.
    private let stream: OpaquePointer
    private let connection: PulseConnection
    /// Context object of the callbacks. The callbacks hold an unretained reference to the listener. `deinit`
    /// removes the callbacks under the lock before it releases the listener.
    private let listener: PulseStreamListener

    /// Opens the source with exactly this name and waits up to 3 s until it is streaming.
    ///
    /// - Throws: `notFound` if the server doesn't have this source (no other source is used), `silent` if the
    ///   source doesn't stream in time, `noSoundServer` if the server disappears.
    init(
        source: PulseSource, format: AudioFormat, connection: PulseConnection, delivery: PulseDelivery
    ) throws(DeviceError) {
        let created = connection.locked { Self.makeStream(source: source, format: format, on: connection) }
        guard let created else {
            throw DeviceError(
                device: source.selector, operation: "opening",
                reason: .other(
                    "the sound server's library does not support \(format.channels) channels at \(format.rate) Hz."
                ))
        }
        stream = created
        self.connection = connection
        listener = PulseStreamListener(stream: created, connection: connection, delivery: delivery)
        try connection.locked { () throws(DeviceError) in
            installCallbacks()
            try connect(to: source, format: format)
            listener.isOpen = true
        }
    }

    deinit {
        connection.locked {
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_set_read_callback(stream, nil, nil)
            pa_stream_set_latency_update_callback(stream, nil, nil)
            pa_stream_set_moved_callback(stream, nil, nil)
            pa_stream_set_suspended_callback(stream, nil, nil)
            pa_context_set_subscribe_callback(connection.context, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
    }

    private static func makeStream(
        source: PulseSource, format: AudioFormat, on connection: PulseConnection
    ) -> OpaquePointer? {
        var sample = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(format.rate), channels: UInt8(format.channels))
        var map = pa_channel_map()
        pa_channel_map_init_extend(&map, UInt32(format.channels), PA_CHANNEL_MAP_DEFAULT)
        if source.channelPositions.count == format.channels {
            // Uses the source's own channel order, so that the server passes channels through without mixing.
            withUnsafeMutableBytes(of: &map.map) { bytes in
                let positions = bytes.bindMemory(to: pa_channel_position_t.self)
                for (channel, position) in source.channelPositions.enumerated() {
                    positions[channel] = pa_channel_position_t(position)
                }
            }
        }
        let properties = pa_proplist_new()
        defer { if let properties { pa_proplist_free(properties) } }
        pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "production")
        // Downmixed channels are the mean of the source channels, as in PulseAudio, which ignores this
        // property. With PipeWire's default, the mix of two equal channels would be 3 dB louder and exceed
        // full scale (audioconvert's make_matrix).
        pa_proplist_sets(properties, "channelmix.normalize", "true")
        return pa_stream_new_with_proplist(connection.context, "multicam", &sample, &map, properties)
    }

    private func installCallbacks() {
        let userdata = Unmanaged.passUnretained(listener).toOpaque()
        pa_stream_set_state_callback(
            stream, { _, it in PulseStreamListener.fromUserdata(it)?.stateChanged() }, userdata)
        pa_stream_set_read_callback(
            stream, { _, _, it in PulseStreamListener.fromUserdata(it)?.read() }, userdata)
        pa_stream_set_latency_update_callback(
            stream, { _, it in PulseStreamListener.fromUserdata(it)?.timingUpdated() }, userdata)
        pa_stream_set_moved_callback(
            stream, { _, it in PulseStreamListener.fromUserdata(it)?.moved() }, userdata)
        pa_stream_set_suspended_callback(
            stream, { _, it in PulseStreamListener.fromUserdata(it)?.suspended() }, userdata)
        pa_context_set_subscribe_callback(
            connection.context,
            { _, event, index, it in PulseStreamListener.fromUserdata(it)?.sourceChanged(event, index: index)
            },
            userdata)
    }

    private func connect(to source: PulseSource, format: AudioFormat) throws(DeviceError) {
        func failure(_ reason: DeviceError.Reason) -> DeviceError {
            DeviceError(device: source.selector, operation: "opening", reason: reason)
        }
        let serverDecides = UInt32.max
        let fragment = UInt32(format.rate / 100 * format.channels * MemoryLayout<Float>.size)
        var buffer = pa_buffer_attr(
            maxlength: serverDecides, tlength: serverDecides, prebuf: serverDecides, minreq: serverDecides,
            fragsize: fragment)
        // PA_STREAM_INTERPOLATE_TIMING isn't set: it distorts times for seconds after the start, and
        // `SampleTimestamper` needs the raw reports. PA_STREAM_AUTO_TIMING_UPDATE isn't set either: it requests
        // timing reports at arbitrary times, but PipeWire's reports count samples in whole cycles and ignore
        // the age of the current cycle. The listener minimizes this age by requesting a report right after
        // audio arrives. The removal of the source is detected through the server's events, because
        // WirePlumber 0.5 doesn't close a stream that has lost its source.
        guard
            let subscription = pa_context_subscribe(connection.context, PA_SUBSCRIPTION_MASK_SOURCE, nil, nil)
        else { throw failure(.other("\(connection.failureText). Check the sound server's log.")) }
        pa_operation_unref(subscription)
        let flags = pa_stream_flags_t(PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_DONT_MOVE.rawValue)
        guard pa_stream_connect_record(stream, source.name, &buffer, flags) >= 0 else {
            throw failure(.other("\(connection.failureText). Check the sound server's log."))
        }
        let isDecided = connection.wait(atMost: .seconds(3)) {
            let state = pa_stream_get_state(stream)
            return state == PA_STREAM_READY || state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED
        }
        guard isDecided else { throw failure(.silent(seconds: 3)) }
        guard pa_stream_get_state(stream) == PA_STREAM_READY else {
            guard connection.isReady else { throw failure(.noSoundServer("the connection was lost")) }
            let code = pa_context_errno(connection.context)
            throw failure(
                code == Int32(PA_ERR_NOENTITY.rawValue)
                    ? .notFound : .other("\(connection.failureText). Check the sound server's log."))
        }
        listener.sourceIndex = pa_stream_get_device_index(stream)
    }
}

/// Handles a record stream's callbacks. All methods run under the connection's lock, on libpulse's thread.
final class PulseStreamListener {
    private let stream: OpaquePointer
    private let connection: PulseConnection
    private let delivery: PulseDelivery
    /// Whether the stream is open. While the stream isn't open, the code that opens it handles failures.
    var isOpen = false
    /// Server index of the connected source; `nil` before the connection.
    var sourceIndex: UInt32?
    /// Whether audio stays unread in libpulse's queue until its capture time is certain: at the start, after a pause,
    /// and after a doubtful timing report.
    private var defersReading = true
    /// Whether a timing report was requested and is pending.
    private var isTimingPending = false
    /// Whether audio was read since the last timing report.
    private var hasRead = false
    // Times from `pa_rtclock_now`, in microseconds.
    private var timingRequestedAt: pa_usec_t = 0
    private var readAt: pa_usec_t = 0

    /// Microseconds between two timing reports. The interval is short, so that a stalling source is detected soon.
    private static let timingInterval: pa_usec_t = 100_000
    /// Maximum plausible latency. A longer latency indicates an error, for example if the wall clock was set
    /// during the measurement.
    private static let longestLatency = Nanoseconds.seconds(10)

    init(stream: OpaquePointer, connection: PulseConnection, delivery: PulseDelivery) {
        self.stream = stream
        self.connection = connection
        self.delivery = delivery
    }

    static func fromUserdata(_ userdata: UnsafeMutableRawPointer?) -> PulseStreamListener? {
        userdata.map { Unmanaged<PulseStreamListener>.fromOpaque($0).takeUnretainedValue() }
    }

    func stateChanged() {
        connection.wake()
        let state = pa_stream_get_state(stream)
        guard isOpen, state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED else { return }
        delivery.reportFailure(
            connection.isReady ? "unplugged" : "the connection to the sound server was lost")
    }

    /// Handles the event that a source was added, changed or removed.
    func sourceChanged(_ event: pa_subscription_event_type_t, index: UInt32) {
        let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
        guard isOpen, index == sourceIndex, kind == PA_SUBSCRIPTION_EVENT_REMOVE.rawValue else { return }
        delivery.reportFailure("unplugged")
    }

    func moved() {
        delivery.reportFailure("moved to another device by the sound server")
    }

    func suspended() {
        defersReading = true
        if pa_stream_is_suspended(stream) > 0 { delivery.reportSuspension() }
    }

    /// Reads the available audio if its capture time is certain.
    func read() {
        let now = pa_rtclock_now()
        // After a pause, it is unknown whether the source was suspended or the audio is only late.
        if now - readAt > Self.timingInterval { defersReading = true }
        if defersReading {
            if !isTimingPending { requestTiming() }
        } else {
            readAudio()
            if now - timingRequestedAt >= Self.timingInterval { requestTiming() }
        }
    }

    /// Handles a new timing report from the server. Without interpolation, libpulse's latency is exact only
    /// when a report arrives. The latency is the age of the next unread sample: the audio that the server had
    /// recorded, minus the audio that this program has read, plus the delays of the device and the transport
    /// (`pa_stream_get_latency`, libpulse's stream.c).
    func timingUpdated() {
        let now = delivery.now
        isTimingPending = false
        // If no audio arrives around the same time, a report describes a sample that the source may capture
        // much later.
        guard hasRead || pa_stream_readable_size(stream) > 0 else { return }
        var latency: pa_usec_t = 0
        var isNegative: Int32 = 0
        // While the source is suspended, the capture time of its next sample is unknown.
        // `pa_stream_get_latency` fails if the timing report is invalid.
        guard pa_stream_is_suspended(stream) == 0, pa_stream_get_latency(stream, &latency, &isNegative) >= 0,
            latency < pa_usec_t(Self.longestLatency.count / 1_000)
        else { return }
        let age = Nanoseconds.microseconds(Int64(latency))
        hasRead = false
        // The latency is negative for the monitor of an output, because the monitored audio hasn't been played yet.
        defersReading = delivery.updateTiming(nextSampleAt: isNegative == 0 ? now - age : now + age)
        if defersReading { requestTiming() } else { readAudio() }
    }

    private func readAudio() {
        var data: UnsafeRawPointer?
        var byteCount = 0
        // A byte count of zero means that the queue is empty. In this case, pa_stream_drop must not be
        // called.
        while pa_stream_peek(stream, &data, &byteCount) >= 0, byteCount > 0 {
            if let data {
                delivery.deliverAudio(data, byteCount: byteCount)
            } else {
                delivery.reportHole(byteCount: byteCount)
            }
            pa_stream_drop(stream)
            hasRead = true
            readAt = pa_rtclock_now()
        }
    }

    private func requestTiming() {
        timingRequestedAt = pa_rtclock_now()
        // `timingUpdated` handles the reply.
        guard let question = pa_stream_update_timing_info(stream, nil, nil) else { return }
        pa_operation_unref(question)
        isTimingPending = true
    }
}
