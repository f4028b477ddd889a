internal import CLinux
internal import Media

/// One record stream of one source, reporting to a `PulseDelivery` on libpulse's thread. The stream ends with its last
/// reference; nothing is reported after that.
final class PulseRecordStream: @unchecked Sendable {
    // The pointer is set once; what is behind it is touched only under the connection's lock.
    private let stream: OpaquePointer
    private let connection: PulseConnection
    /// The object that the callbacks work on. They hold it unretained: `deinit` removes the callbacks, under the lock,
    /// before it releases the listener.
    private let listener: PulseStreamListener

    /// Opens the source of exactly this name and waits until it streams, at most 3 s.
    ///
    /// - Throws: `notFound` when the server has no such source; it never takes another one instead. `silent` when it
    ///   does not stream in time, `noSoundServer` when the server goes away.
    init(
        source: PulseSource, format: AudioFormat, connection: PulseConnection, delivery: PulseDelivery
    ) throws(DeviceError) {
        let created = connection.locked { Self.makeStream(source: source, format: format, on: connection) }
        guard let created else {
            throw DeviceError(
                device: source.selector, operation: "open",
                reason: .other(
                    "the sound server's library refuses \(format.channels) channels at \(format.rate) Hz."))
        }
        stream = created
        self.connection = connection
        listener = PulseStreamListener(stream: created, connection: connection, delivery: delivery)
        try connection.locked { () throws(DeviceError) in
            listen()
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
            // The source's own order, so that the server passes channels through instead of mixing them.
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
        // Fewer channels than the source has are their mean, as on PulseAudio, which knows nothing of this. PipeWire's own default
        // gives two equal ones 3 dB more, above full scale (audioconvert's make_matrix).
        pa_proplist_sets(properties, "channelmix.normalize", "true")
        return pa_stream_new_with_proplist(connection.context, "multicam", &sample, &map, properties)
    }

    private func listen() {
        let userdata = Unmanaged.passUnretained(listener).toOpaque()
        pa_stream_set_state_callback(
            stream, { _, it in PulseStreamListener.behind(it)?.stateChanged() }, userdata)
        pa_stream_set_read_callback(stream, { _, _, it in PulseStreamListener.behind(it)?.read() }, userdata)
        pa_stream_set_latency_update_callback(
            stream, { _, it in PulseStreamListener.behind(it)?.timingUpdated() }, userdata)
        pa_stream_set_moved_callback(stream, { _, it in PulseStreamListener.behind(it)?.moved() }, userdata)
        pa_stream_set_suspended_callback(
            stream, { _, it in PulseStreamListener.behind(it)?.suspended() }, userdata)
        pa_context_set_subscribe_callback(
            connection.context,
            { _, event, index, it in PulseStreamListener.behind(it)?.sourceChanged(event, index: index) },
            userdata)
    }

    private func connect(to source: PulseSource, format: AudioFormat) throws(DeviceError) {
        func failure(_ reason: DeviceError.Reason) -> DeviceError {
            DeviceError(device: source.selector, operation: "open", reason: reason)
        }
        let serverDecides = UInt32.max
        let fragment = UInt32(format.rate / 100 * format.channels * MemoryLayout<Float>.size)
        var buffer = pa_buffer_attr(
            maxlength: serverDecides, tlength: serverDecides, prebuf: serverDecides, minreq: serverDecides,
            fragsize: fragment)
        // No PA_STREAM_INTERPOLATE_TIMING: it bends time for seconds after the start, and `SampleDating` needs the plain
        // reports. No PA_STREAM_AUTO_TIMING_UPDATE: it asks at any time, but PipeWire counts samples by whole cycles and knows
        // nothing of a cycle's age, which the listener makes small by asking when audio has just come.
        // The server tells of the source's removal by itself: WirePlumber 0.5 leaves a stream open that has lost its source.
        guard
            let subscription = pa_context_subscribe(connection.context, PA_SUBSCRIPTION_MASK_SOURCE, nil, nil)
        else { throw failure(.other("\(connection.failureText). Look at the sound server's log.")) }
        pa_operation_unref(subscription)
        let flags = pa_stream_flags_t(PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_DONT_MOVE.rawValue)
        guard pa_stream_connect_record(stream, source.name, &buffer, flags) >= 0 else {
            throw failure(.other("\(connection.failureText). Look at the sound server's log."))
        }
        let isDecided = connection.wait(atMost: .seconds(3)) {
            let state = pa_stream_get_state(stream)
            return state == PA_STREAM_READY || state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED
        }
        guard isDecided else { throw failure(.silent(seconds: 3)) }
        guard pa_stream_get_state(stream) == PA_STREAM_READY else {
            guard connection.isReady else { throw failure(.noSoundServer("it went away")) }
            let code = pa_context_errno(connection.context)
            throw failure(
                code == Int32(PA_ERR_NOENTITY.rawValue)
                    ? .notFound : .other("\(connection.failureText). Look at the sound server's log."))
        }
        listener.sourceIndex = pa_stream_get_device_index(stream)
    }
}
