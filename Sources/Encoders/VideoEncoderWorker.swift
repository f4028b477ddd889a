package import MulticamMedia
internal import MulticamSessionFolder
package import MulticamTiming
package import MulticamWriters

/// The thread that composes and encodes one video stream, with its queue.
///
/// Every queued tick reaches the file. The queue is bounded (`EncoderQueue`): it holds at most one second of
/// ticks, or half a second while the encoder is slow. If the queue is full, the oldest queued frame isn't
/// encoded, and its tick duplicates the previous frame (cause: `encoder`). The limit bounds the amount of data
/// lost in a crash and the memory used by a recording. In simulated time, ticks can arrive faster than any
/// encoder can process them, so the caller waits for space in the queue instead.
///
/// A failed encoder is replaced (`EncodingRun`). After three consecutive failed attempts the stream ends.
package final class VideoEncoderWorker: Sendable {
    /// The early end of a stream that no encoder could continue.
    package struct EarlyEnd: Sendable {
        /// The first tick that is not in the file.
        package let tick: Int64
        let error: EncodingError
    }

    /// A new encoder that continued the stream after a failure.
    package struct Recovery: Sendable {
        /// The first tick encoded by the new encoder.
        let tick: Int64
        let error: EncodingError
        /// Number of new frames that aren't in the file because of the failure.
        var lost: Int
    }

    /// The state that the worker's thread shares with its callers.
    struct State {
        var queue: EncoderQueue
        /// Number of ticks in the job being encoded.
        var ticksInProgress = 0
        /// Mean encoding time of a new frame.
        var frameTime = Nanoseconds.zero
        /// Mean encoding time of a duplicate.
        var repeatTime = Nanoseconds.zero
        var isFinished = false
        var isAbandoned = false
        /// Whether an encoder has failed and its replacement has not produced a packet yet.
        var isFailing = false
        var earlyEnd: EarlyEnd?
        var recovery: Recovery?
        /// Number of ticks, by fate (`Fate`), that were dropped after the end of a failed or abandoned
        /// stream.
        var dropped = FateCounts()
        /// The preset to switch to at the next frame.
        var preset: VideoEncodingSettings.Preset?
        /// The reason why the encoder rejected a preset; `nil` if the encoder rejected no preset.
        var presetRejection: EncodingError?
        /// Time when x264 replaced the hardware encoder, and the reason; `nil` if the hardware encoder wasn't
        /// replaced.
        var fallback: EncoderFallback?
        var isFallbackReported = false

        /// Predicted time to encode the queued ticks, based on recent frames.
        var backlog: Nanoseconds {
            let repeats = min(
                queue.tickCount - queue.frameCount, queue.runCount * FrameRun.maxIndividualRepeats)
            return frameTime * Int64(queue.frameCount) + repeatTime * Int64(repeats)
        }

        /// Updates the mean encoding time with the time of a job. The mean is a moving average over eight
        /// jobs, and each job counts as at most four times the mean, so a single slow frame has little
        /// effect.
        mutating func recordEncodingTime(_ taken: Nanoseconds, isRepeat: Bool) {
            let mean = isRepeat ? repeatTime : frameTime
            let next =
                mean == .zero ? taken : mean + Nanoseconds((min(taken, mean * 4) - mean).count / 8)
            if isRepeat { repeatTime = next } else { frameTime = next }
        }
    }

    /// Inspects a frame that an encoder has composed, with the frame's tick, on the encoder's thread. The
    /// closure must not block.
    package typealias FrameObserver = @Sendable (any VideoEncoding, Int64) -> Void

    /// Creates a replacement encoder for the same stream.
    package typealias EncoderFactory = @Sendable () throws(EncodingError) -> Carried<any VideoEncoding>

    private let state: ConditionLock<State>
    private let thread: MediaThread
    private let sink: TrackSink
    /// Whether the caller waits while the queue is full, which is the case in simulated time.
    package let waitsForRoom: Bool

    /// Maximum number of queued ticks with new frames. This gives the governor time to act before frames are
    /// lost.
    package let queueCapacity: Int

    /// The hardware encoder that starts this stream, or `nil` if x264 starts it.
    let hardware: HardwareEncoder?

    /// Minimum backlog for an encoder to be considered slow.
    private static let slowBacklog = Nanoseconds.milliseconds(500)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: Name of the thread.
    ///   - encoder: The first encoder. After this call, only the worker's thread may use the encoder.
    ///   - another: Creates a replacement when an encoder fails. Called on the worker's thread.
    ///   - sink: The sink for the packets.
    ///   - watching: Inspects each newly composed frame; `nil` for no inspection.
    ///   - waitsForRoom: Whether the caller waits while the queue is full, which is the case in simulated time.
    package init(
        name: String, encoder: sending any VideoEncoding, another: @escaping EncoderFactory,
        to sink: TrackSink,
        watching: FrameObserver? = nil, waitsForRoom: Bool
    ) {
        self.waitsForRoom = waitsForRoom
        self.sink = sink
        hardware = encoder.hardware
        let queue = EncoderQueue(rate: encoder.parameters.rate ?? FrameRate(30))
        queueCapacity = queue.capacity
        let state = ConditionLock(State(queue: queue, fallback: encoder.dequeueFallback()))
        self.state = state
        let carried = Carried(encoder)
        thread = MediaThread.startWhenPossible(name: name) {
            EncodingRun(carried.value, another: another, state: state, sink: sink, watching: watching).run()
        }
    }

    /// Queues a tick with a new frame.
    ///
    /// - Parameters:
    ///   - layers: The layers of the frame, backmost first.
    ///   - tick: The next tick.
    ///   - asKey: Whether the frame must be a key frame, so that a file can begin with it.
    ///   - fate: The content of the tick: a captured frame, a slate, or a duplicate of an old frame.
    package func encode(_ layers: [FrameLayer], tick: Int64, asKey: Bool, fate: Fate = .captured) {
        enqueue(.encode(EncoderQueue.Frame(layers: layers, tick: tick, asKey: asKey, fate: fate)))
    }

    /// Queues a tick that duplicates the previous frame.
    ///
    /// - Parameters:
    ///   - tick: The next tick.
    ///   - asKey: Whether the frame must be a key frame, so that a file can begin with it.
    ///   - fate: The reason why the tick doesn't have a new frame.
    package func repeatLast(tick: Int64, asKey: Bool, fate: Fate = .duplicated(nil)) {
        enqueue(.repeatLast(ticks: tick..<tick + 1, asKey: asKey, fates: FateRun(fate)))
    }

    private func enqueue(_ job: EncoderQueue.Job) {
        let waitsForRoom = waitsForRoom
        state.wait { state -> Void? in
            guard state.earlyEnd == nil else {
                state.dropped.add(job.fates.counts)
                return ()
            }
            if waitsForRoom, !state.queue.hasRoom, !state.isFinished { return nil }
            let isSlow = !waitsForRoom && state.backlog > Self.slowBacklog
            switch job {
            case .encode(let frame): state.queue.append(frame, isSlow: isSlow)
            case .repeatLast(let ticks, let asKey, let fates):
                for (tick, fate) in zip(ticks, fates.elements) {
                    state.queue.appendRepeat(of: tick, asKey: asKey, fate: fate, isSlow: isSlow)
                }
            }
            return ()
        }
        state.broadcast { _ in }
    }

    /// Switches to another preset at the next frame.
    package func change(to preset: VideoEncodingSettings.Preset) {
        state.withLock { $0.preset = preset }
    }

    /// Number of queued ticks, at most `queueCapacity`. If a run of duplicates is being encoded, all but one of its ticks count.
    package var queueLength: Int {
        state.withLock { min($0.queue.tickCount + max($0.ticksInProgress - 1, 0), $0.queue.capacity) }
    }
    /// Predicted time to encode the queued ticks, based on recent frames.
    package var backlog: Nanoseconds { state.withLock { $0.backlog } }
    /// Whether an encoder is working. The queue length indicates the encoder's speed only while the encoder is working.
    package var isWorking: Bool { state.withLock { !$0.isFailing && $0.earlyEnd == nil } }
    /// Returns the reason why the encoder rejected a preset. Each rejection is returned only once.
    package func dequeuePresetRejection() -> EncodingError? { state.withLock { $0.presetRejection.take() } }
    /// Returns the new encoder that continues after a failure. Each recovery is returned only once.
    package func dequeueRecovery() -> Recovery? { state.withLock { $0.recovery.take() } }
    /// Position and reason of the stream's end; `nil` if the stream didn't end before the recording.
    package var earlyEnd: EarlyEnd? { state.withLock { $0.earlyEnd } }
    /// The reason why the stream ended before the recording; `nil` if the stream didn't end early.
    package var failure: EncodingError? { earlyEnd?.error }
    /// Time when x264 replaced the hardware encoder, and the reason; `nil` if the hardware encoder wasn't
    /// replaced.
    package var fallback: EncoderFallback? { state.withLock { $0.fallback } }
    /// Returns the time when x264 replaced the hardware encoder, and the reason. Each replacement is returned
    /// only once.
    package func dequeueFallback() -> EncoderFallback? {
        state.withLock { state in
            guard !state.isFallbackReported, let fallback = state.fallback else { return nil }
            state.isFallbackReported = true
            return fallback
        }
    }

    /// Number of ticks already written to the worker's file, by fate (`Fate`).
    package var writtenCounts: FateCounts { sink.receivedCounts }
    /// Number of ticks, by fate (`Fate`), that arrived after the stream failed or had not been written when
    /// the worker was abandoned.
    package var dropped: FateCounts { state.withLock { $0.dropped } }

    /// Returns the counts of a track's frames already written to the worker's file.
    ///
    /// - Parameter delivery: Counts of the camera's frames that aren't shown by any tick.
    /// - Returns: The frame counts of the track.
    package func counts(_ delivery: DeliveryCounts) -> FrameCounts {
        FrameCounts(delivery, written: writtenCounts, dropped: [.encoder: dropped])
    }

    /// Returns the counts of a track's frames in a closed file.
    ///
    /// - Parameters:
    ///   - delivery: Counts of the camera's frames that aren't shown by any tick.
    ///   - ledger: The ledger of the worker's stream in the file.
    /// - Returns: The frame counts of the track.
    package func counts(_ delivery: DeliveryCounts, in ledger: StreamLedger) -> FrameCounts {
        FrameCounts(
            delivery, written: ledger.written.frames,
            dropped: [.encoder: dropped, .disk: ledger.dropped.frames])
    }

    /// Ends the worker when the queue is empty. Don't queue ticks after this method.
    package func finish() {
        state.broadcast { $0.isFinished = true }
    }

    /// Replaces the queued frames with duplicates of the last encoded frame (cause `encoder`), so that the
    /// worker ends soon. Does nothing before the first frame.
    package func replaceFramesWithRepeats() {
        guard !waitsForRoom else { return }
        state.withLock { state in
            guard state.frameTime > .zero else { return }
            state.queue.replaceFramesWithRepeats()
        }
    }

    /// Ends the worker immediately. Queued ticks are dropped.
    package func abandon() {
        state.broadcast { state in
            state.isFinished = true
            state.isAbandoned = true
        }
    }

    /// Waits until the worker has ended.
    package func join() { thread.join() }
}

extension VideoEncoderWorker {
    /// Returns a function that creates a replacement encoder for a stream. The replacement never uses
    /// hardware, which may have caused the failure.
    ///
    /// - Parameters:
    ///   - settings: The stream's initial settings.
    ///   - name: Name of the track, for messages.
    ///   - codecs: Creates the encoders.
    /// - Returns: The function that creates a replacement encoder.
    package static func makeEncoderFactory(
        _ settings: VideoEncodingSettings, named name: String, by codecs: any CodecFactory
    ) -> EncoderFactory {
        var settings = settings
        settings.hardware = nil
        settings.isHardwareRequired = false
        let wanted = settings
        return { () throws(EncodingError) in Carried(try codecs.makeVideoEncoder(wanted, name: name)) }
    }
}
