internal import CLinux
internal import Media

/// Handles a record stream's callbacks. Everything runs under the connection's lock, on libpulse's thread.
final class PulseStreamListener {
    private let stream: OpaquePointer
    private let connection: PulseConnection
    private let delivery: PulseDelivery
    /// Whether the stream was opened; before that, its opener handles failures.
    var isOpen = false
    /// The server's number of the source that the stream was connected to; `nil` before that.
    var sourceIndex: UInt32?
    /// Whether audio is left unread in libpulse's queue until its date is certain: at the start, after a pause, and
    /// when a report was doubtful.
    private var isHolding = true
    /// Whether a report has been asked for and has not come.
    private var isAsking = false
    /// Whether audio was read since the last report.
    private var hasRead = false
    // Instants of `pa_rtclock_now`, in microseconds.
    private var askedAt: pa_usec_t = 0
    private var readAt: pa_usec_t = 0

    /// Microseconds between two reports: short, so that a source that stumbles is soon noticed.
    private static let timingInterval: pa_usec_t = 100_000
    /// Longest plausible latency; a longer one is a mistake, as when the wall clock was set during the exchange that
    /// measures it.
    private static let longestLatency = Nanoseconds.seconds(10)

    init(stream: OpaquePointer, connection: PulseConnection, delivery: PulseDelivery) {
        self.stream = stream
        self.connection = connection
        self.delivery = delivery
    }

    static func behind(_ userdata: UnsafeMutableRawPointer?) -> PulseStreamListener? {
        userdata.map { Unmanaged<PulseStreamListener>.fromOpaque($0).takeUnretainedValue() }
    }

    func stateChanged() {
        connection.wake()
        let state = pa_stream_get_state(stream)
        guard isOpen, state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED else { return }
        delivery.failed(connection.isReady ? "unplugged" : "the sound server went away")
    }

    /// Takes the news that a source came, changed or was removed.
    func sourceChanged(_ event: pa_subscription_event_type_t, index: UInt32) {
        let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
        guard isOpen, index == sourceIndex, kind == PA_SUBSCRIPTION_EVENT_REMOVE.rawValue else { return }
        delivery.failed("unplugged")
    }

    func moved() {
        delivery.failed("moved to another device by the sound server")
    }

    func suspended() {
        isHolding = true
        if pa_stream_is_suspended(stream) > 0 { delivery.suspended() }
    }

    /// Reads the audio that has come, once its date is certain.
    func read() {
        let now = pa_rtclock_now()
        // After a pause it is unknown whether the source slept or the audio is only late.
        if now - readAt > Self.timingInterval { isHolding = true }
        if isHolding {
            if !isAsking { askForTiming() }
        } else {
            takeAudio()
            if now - askedAt >= Self.timingInterval { askForTiming() }
        }
    }

    /// Takes the server's report, which has just come. At this instant, and without interpolation only at this one,
    /// libpulse's latency is the age of the next unread sample: what the server had recorded by then less what this
    /// program has read, plus the way through the device and to here (`pa_stream_get_latency`, libpulse's stream.c).
    func timingUpdated() {
        let now = delivery.now
        isAsking = false
        // A report with no audio around it dates a sample that the source may be long from capturing.
        guard hasRead || pa_stream_readable_size(stream) > 0 else { return }
        var latency: pa_usec_t = 0
        var isNegative: Int32 = 0
        // While the source sleeps, its next sample has no date. The call fails where the report is void.
        guard pa_stream_is_suspended(stream) == 0, pa_stream_get_latency(stream, &latency, &isNegative) >= 0,
            latency < pa_usec_t(Self.longestLatency.count / 1_000)
        else { return }
        let age = Nanoseconds.microseconds(Int64(latency))
        hasRead = false
        // Below zero for the monitor of an output: its audio is still to be heard.
        isHolding = delivery.nextSample(capturedAt: isNegative == 0 ? now - age : now + age)
        if isHolding { askForTiming() } else { takeAudio() }
    }

    private func takeAudio() {
        var data: UnsafeRawPointer?
        var byteCount = 0
        // Zero bytes: nothing is left to read, and pa_stream_drop must not be called.
        while pa_stream_peek(stream, &data, &byteCount) >= 0, byteCount > 0 {
            if let data {
                delivery.audio(data, byteCount: byteCount)
            } else {
                delivery.hole(byteCount: byteCount)
            }
            pa_stream_drop(stream)
            hasRead = true
            readAt = pa_rtclock_now()
        }
    }

    private func askForTiming() {
        askedAt = pa_rtclock_now()
        // Answered through `timingUpdated`.
        guard let question = pa_stream_update_timing_info(stream, nil, nil) else { return }
        pa_operation_unref(question)
        isAsking = true
    }
}
