internal import MulticamMedia

/// Delivers the events of all successive streams of a microphone to its receiver, in order.
///
/// One thread at a time calls the reporting functions: libpulse's thread while a stream is open, otherwise
/// the supervising thread. The receiver is called on the reporting thread, without holding the lock.
final class PulseDelivery: Sendable {
    private struct State {
        var dating: SampleTimestamper
        /// Start and last reported cause of the current outage; `nil` while audio is arriving.
        var outage: (since: ClockTime, cause: String)?
        /// Cause of the stream's failure; `nil` while the stream is working. Audio of a failed stream is
        /// ignored.
        var fault: String?
        var isStopping = false
    }

    private let format: AudioFormat
    private let monitor: ConditionLock<State>
    private let clock: any SessionClock
    private let receive: @Sendable (MicrophoneEvent) -> Void

    init(
        format: AudioFormat, clock: any SessionClock, receive: @escaping @Sendable (MicrophoneEvent) -> Void
    ) {
        self.format = format
        self.clock = clock
        self.receive = receive
        monitor = ConditionLock(State(dating: SampleTimestamper(rate: format.rate)))
    }

    var now: ClockTime { clock.now }

    // MARK: Stream callbacks

    /// Records the capture time of the next unread sample.
    ///
    /// - Returns: Whether the capture time is doubtful and the server should be queried again.
    func updateTiming(nextSampleAt time: ClockTime) -> Bool {
        let verdict = monitor.withLock { state -> SampleTimestamper.Verdict in
            guard state.fault == nil else { return .steady }
            let verdict = state.dating.applyReport(time)
            // Samples that were lost before the source returned are part of the outage.
            if state.outage != nil, case .lost = verdict { return .steady }
            return verdict
        }
        switch verdict {
        case .steady: return false
        case .doubtful: return true
        case .lost(let count, let time):
            receive(.lost(count: count, cause: .bus, capturedAt: time))
            return false
        }
    }

    /// Delivers audio. `start` points to interleaved 32-bit floats and is valid only during the call.
    func deliverAudio(_ start: UnsafeRawPointer, byteCount: Int) {
        let frameCount = byteCount / (format.channels * MemoryLayout<Float>.size)
        guard let (first, time) = assignPosition(frameCount) else { return }
        let valueCount = frameCount * format.channels
        let samples = [Float](unsafeUninitializedCapacity: valueCount) { buffer, count in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(
                from: UnsafeRawBufferPointer(start: start, count: valueCount * MemoryLayout<Float>.size))
            count = valueCount
        }
        receive(.audio(CapturedAudio(format: format, capturedAt: time, firstSample: first, samples: samples)))
    }

    /// Reports a gap in the stream as lost samples.
    func reportHole(byteCount: Int) {
        let frameCount = byteCount / (format.channels * MemoryLayout<Float>.size)
        guard let (_, time) = assignPosition(frameCount) else { return }
        receive(.lost(count: Int64(frameCount), cause: .bus, capturedAt: time))
    }

    /// Reports that the source is suspended or delivers no samples. The source may resume without a restart
    /// of the stream.
    func reportSuspension() {
        let isOpen = monitor.withLock { $0.fault == nil }
        if isOpen { reportOutage(cause: "suspended") }
    }

    /// Marks the stream as failed and wakes the supervisor.
    func reportFailure(_ cause: String) {
        monitor.broadcast { state in
            if state.fault == nil { state.fault = cause }
        }
    }

    // MARK: Supervision

    /// Blocks until the stream has failed. Returns the cause, or `nil` if `stop` was called.
    func waitForFault() -> String? {
        monitor.wait { state -> String?? in
            if state.isStopping { return .some(nil) }
            return state.fault.map { .some($0) }
        }
    }

    /// Sleeps for a duration.
    ///
    /// - Returns: `false` immediately when `stop` is called.
    func sleep(for duration: Nanoseconds) -> Bool {
        let isStopping = monitor.wait(until: MonotonicClock().now + duration) { $0.isStopping ? true : nil }
        return isStopping == nil
    }

    /// Reports an outage, dated from the end of the audio. An outage is reported once, and again if its cause changes.
    /// For example, an unplugged source is at first only suspended.
    func reportOutage(cause: String) {
        let now = now
        let time = monitor.withLock { state -> ClockTime? in
            let time = state.outage?.since ?? state.dating.end ?? now
            state.dating.interrupt()
            guard state.outage?.cause != cause else { return nil }
            state.outage = (time, cause)
            return time
        }
        if let time { receive(.outageBegan(at: time, cause: cause)) }
    }

    /// Clears the failure of the previous stream before a new stream is opened.
    func clearFailure() {
        monitor.withLock { $0.fault = nil }
    }

    func stop() {
        monitor.broadcast { $0.isStopping = true }
    }

    /// Counts samples, and reports the end of an outage if these samples are the first after it.
    private func assignPosition(_ frameCount: Int) -> (first: Int64, time: ClockTime)? {
        guard frameCount > 0 else { return nil }
        let (place, isReturn) = monitor.withLock { state -> ((first: Int64, time: ClockTime)?, Bool) in
            guard state.fault == nil, !state.isStopping, let place = state.dating.advance(by: frameCount)
            else {
                return (nil, false)
            }
            defer { state.outage = nil }
            return (place, state.outage != nil)
        }
        if let place, isReturn { receive(.outageEnded(at: place.time)) }
        return place
    }
}
