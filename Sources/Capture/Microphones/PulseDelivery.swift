internal import Media

/// Delivers a microphone's events to its receiver, in order, over all the streams that the microphone has had.
///
/// One thread at a time calls the reporting functions: libpulse's while a stream is open, the supervising one while
/// none is. The receiver is called on that thread, outside the lock.
final class PulseDelivery: Sendable {
    private struct State {
        var dating: SampleDating
        /// Start and last reported cause of the present outage; `nil` while audio comes.
        var outage: (since: ClockTime, cause: String)?
        /// The cause that has ended the stream, from which nothing more is taken; `nil` while it is good.
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
        monitor = ConditionLock(State(dating: SampleDating(rate: format.rate)))
    }

    var now: ClockTime { clock.now }

    // MARK: What a stream reports

    /// Takes a report that the next unread sample was captured at `time`.
    ///
    /// - Returns: Whether that is doubtful and the server should be asked again.
    func nextSample(capturedAt time: ClockTime) -> Bool {
        let verdict = monitor.withLock { state -> SampleDating.Verdict in
            guard state.fault == nil else { return .steady }
            let verdict = state.dating.report(time)
            // What is missing before the return is a part of the outage.
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

    /// Delivers audio. `start` points to interleaved 32-bit floats and is valid during the call only.
    func audio(_ start: UnsafeRawPointer, byteCount: Int) {
        let frameCount = byteCount / (format.channels * MemoryLayout<Float>.size)
        guard let (first, time) = place(frameCount) else { return }
        let valueCount = frameCount * format.channels
        let samples = [Float](unsafeUninitializedCapacity: valueCount) { buffer, count in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(
                from: UnsafeRawBufferPointer(start: start, count: valueCount * MemoryLayout<Float>.size))
            count = valueCount
        }
        receive(.audio(CapturedAudio(format: format, capturedAt: time, firstSample: first, samples: samples)))
    }

    /// Reports a hole in the stream as lost samples.
    func hole(byteCount: Int) {
        let frameCount = byteCount / (format.channels * MemoryLayout<Float>.size)
        guard let (_, time) = place(frameCount) else { return }
        receive(.lost(count: Int64(frameCount), cause: .bus, capturedAt: time))
    }

    /// Reports that the source sleeps or moves no samples; it may go on by itself.
    func suspended() {
        let isOpen = monitor.withLock { $0.fault == nil }
        if isOpen { away(cause: "suspended") }
    }

    /// Declares the stream failed and wakes the supervisor.
    func failed(_ cause: String) {
        monitor.broadcast { state in
            if state.fault == nil { state.fault = cause }
        }
    }

    // MARK: The supervisor's

    /// Sleeps until the stream has failed; `nil` when `stop` was called.
    func waitForFault() -> String? {
        monitor.wait { state -> String?? in
            if state.isStopping { return .some(nil) }
            return state.fault.map { .some($0) }
        }
    }

    /// Sleeps for `pause`.
    ///
    /// - Returns: `false` as soon as `stop` is called.
    func pause(_ pause: Nanoseconds) -> Bool {
        let isStopping = monitor.wait(until: MonotonicClock().now + pause) { $0.isStopping ? true : nil }
        return isStopping == nil
    }

    /// Reports that the audio has ended for now, with the time where it ended: once, and again when another cause
    /// shows. A source whose cable is pulled is at first only suspended.
    func away(cause: String) {
        let now = now
        let time = monitor.withLock { state -> ClockTime? in
            let time = state.outage?.since ?? state.dating.end ?? now
            state.dating.interrupt()
            guard state.outage?.cause != cause else { return nil }
            state.outage = (time, cause)
            return time
        }
        if let time { receive(.away(at: time, cause: cause)) }
    }

    /// Prepares for the reports of a new stream.
    func reopen() {
        monitor.withLock { $0.fault = nil }
    }

    func stop() {
        monitor.broadcast { $0.isStopping = true }
    }

    /// Counts samples and, if they are the first after an outage, reports the return.
    private func place(_ frameCount: Int) -> (first: Int64, time: ClockTime)? {
        guard frameCount > 0 else { return nil }
        let (place, isReturn) = monitor.withLock { state -> ((first: Int64, time: ClockTime)?, Bool) in
            guard state.fault == nil, !state.isStopping, let place = state.dating.take(frameCount) else {
                return (nil, false)
            }
            defer { state.outage = nil }
            return (place, state.outage != nil)
        }
        if let place, isReturn { receive(.returned(at: place.time)) }
        return place
    }
}
