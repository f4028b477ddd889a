package import Media
internal import SessionFolder
package import Timing
package import Writers

/// The thread that composes and encodes one stream of frames, with its queue.
///
/// Every queued tick comes to be in the file. The queue is bounded (`EncoderQueue`): at most one second of ticks
/// waits, half a second while the encoder is slow, and a tick beyond that repeats the frame before it. A crash loses
/// no more than that, and a recording never fills the memory. In simulated time, which would outrun every encoder,
/// the caller waits for room instead.
///
/// An encoder that fails is replaced (`EncodingRun`). After three failed attempts in a row the stream ends.
package final class VideoEncoderWorker: Sendable {
    /// The early end of a stream that no encoder would continue.
    package struct Conclusion: Sendable {
        /// The first tick that is not in the file.
        package let tick: Int64
        let error: EncodingError
    }

    /// A new encoder that continued the stream after another failed.
    package struct Recovery: Sendable {
        /// The first tick that the new encoder made.
        let tick: Int64
        let error: EncodingError
        /// New frames that are not in the file because of the failure.
        var lost: Int
    }

    /// The state that the worker's thread shares with its callers.
    struct State {
        var queue: EncoderQueue
        /// Ticks of the job that is encoded now.
        var ticksAtHand = 0
        /// Mean time that the encoder takes for a new frame.
        var frameTime = Nanoseconds.zero
        /// Mean time that the encoder takes for a repeat.
        var repeatTime = Nanoseconds.zero
        var isFinished = false
        var isAbandoned = false
        /// Whether an encoder has failed, and no packet of its successor has come yet.
        var isFailing = false
        var conclusion: Conclusion?
        var recovery: Recovery?
        /// Frames that were lost with a failed encoder; repeats stand in their places.
        var replaced = EncoderQueue.Replaced()
        var unwritten = VideoEncoderWorker.Unwritten()
        var damaged = 0
        /// The preset to switch to at the next frame.
        var preset: VideoEncodingSettings.Preset?
        /// Why the encoder refused another preset, or `nil` when it did not.
        var refusal: EncodingError?
        /// When and why x264 took over from the hardware encoder, or `nil` when it did not.
        var fallback: EncoderFallback?
        var isFallbackTold = false

        /// How long it takes to encode what waits, as predicted from the last frames.
        var backlog: Nanoseconds {
            let repeats = min(queue.tickCount - queue.frameCount, queue.runCount * FrameRun.longestSingly)
            return frameTime * Int64(queue.frameCount) + repeatTime * Int64(repeats)
        }

        /// Notes how long a job took. Eight jobs make a mean, and none counts as more than four times the mean: one
        /// slow frame does not make a slow encoder.
        mutating func note(_ taken: Nanoseconds, isRepeat: Bool) {
            let mean = isRepeat ? repeatTime : frameTime
            let next =
                mean == .zero ? taken : mean + Nanoseconds((min(taken, mean * 4) - mean).count / 8)
            if isRepeat { repeatTime = next } else { frameTime = next }
        }

        /// Counts a tick that comes to a stream that has ended.
        mutating func leaveOut(_ job: EncoderQueue.Job) {
            switch job {
            case .encode(let frame): unwritten.add(frame.isSlate ? .slate : .captured, ticks: 1)
            case .repeatLast(let ticks, _): unwritten.add(.again, ticks: ticks.count)
            }
        }
    }

    /// Counts of decided ticks that lie after the end of a failed stream, by what they were to show.
    struct Unwritten: Sendable, Equatable {
        var captured = 0
        var slates = 0
        var repeats = 0

        mutating func add(_ kind: EncodingRun.Kind, ticks: Int) {
            switch kind {
            case .captured: captured += ticks
            case .slate: slates += ticks
            case .again: repeats += ticks
            }
        }
    }

    /// Looks at a frame that an encoder has composed, given its tick, on the encoder's thread. Must not block.
    package typealias Watching = @Sendable (any VideoEncoding, Int64) -> Void

    /// Makes another encoder of the same stream.
    package typealias Making = @Sendable () throws(EncodingError) -> Carried<any VideoEncoding>

    private let state: ConditionLock<State>
    private let thread: MediaThread
    /// Whether the caller waits for room in the queue, as in simulated time.
    package let waitsForRoom: Bool

    /// Most ticks that may wait with new frames: time for the governor to act before frames are lost.
    package let room: Int

    /// The hardware encoder that starts this stream, or `nil` when x264 does.
    let hardware: HardwareEncoder?

    /// How long what waits must take for the encoder to count as slow.
    private static let slowBacklog = Nanoseconds.milliseconds(500)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: Name of the thread.
    ///   - encoder: The first encoder, used by this thread alone from here on.
    ///   - another: Makes a successor when an encoder fails. Called on this thread.
    ///   - sink: The sink of the packets.
    ///   - watching: Looks at each new frame that was composed, or `nil`.
    ///   - waitsForRoom: Whether the caller waits for room in the queue, as in simulated time.
    package init(
        name: String, encoder: sending any VideoEncoding, another: @escaping Making, to sink: TrackSink,
        watching: Watching? = nil, waitsForRoom: Bool
    ) {
        self.waitsForRoom = waitsForRoom
        hardware = encoder.hardware
        let queue = EncoderQueue(rate: encoder.parameters.rate ?? FrameRate(30))
        room = queue.room
        let state = ConditionLock(State(queue: queue, fallback: encoder.takeFallback()))
        self.state = state
        let carried = Carried(encoder)
        thread = MediaThread(name: name) {
            EncodingRun(carried.value, another: another, state: state, sink: sink, watching: watching).run()
        }
    }

    /// Queues a tick with a new frame.
    ///
    /// - Parameters:
    ///   - layers: The layers of the frame, backmost first.
    ///   - tick: The next tick.
    ///   - asKey: Whether the frame must be a key frame, so that a file can begin with it.
    ///   - isSlate: Whether the frame is a slate, and not a captured frame.
    package func encode(_ layers: [FrameLayer], tick: Int64, asKey: Bool, isSlate: Bool = false) {
        add(
            .encode(EncoderQueue.Frame(layers: layers, tick: tick, asKey: asKey, isSlate: isSlate)))
    }

    /// Queues a tick that shows the frame before it again.
    package func repeatLast(tick: Int64, asKey: Bool) {
        add(.repeatLast(ticks: tick..<tick + 1, asKey: asKey))
    }

    private func add(_ job: EncoderQueue.Job) {
        let waitsForRoom = waitsForRoom
        state.wait { state -> Void? in
            guard state.conclusion == nil else {
                state.leaveOut(job)
                return ()
            }
            if waitsForRoom, !state.queue.hasRoom, !state.isFinished { return nil }
            let isSlow = !waitsForRoom && state.backlog > Self.slowBacklog
            switch job {
            case .encode(let frame): state.queue.append(frame, isSlow: isSlow)
            case .repeatLast(let ticks, let asKey):
                state.queue.appendRepeat(of: ticks.lowerBound, asKey: asKey, isSlow: isSlow)
            }
            return ()
        }
        state.broadcast { _ in }
    }

    /// Switches to another preset at the next frame.
    package func change(to preset: VideoEncodingSettings.Preset) {
        state.withLock { $0.preset = preset }
    }

    /// How many ticks wait, at most `room`. Of a run that is encoded now, all but one count.
    package var queueLength: Int {
        state.withLock { min($0.queue.tickCount + max($0.ticksAtHand - 1, 0), $0.queue.room) }
    }
    /// How long it takes to encode what waits, as predicted from the last frames.
    package var backlog: Nanoseconds { state.withLock { $0.backlog } }
    /// Whether an encoder works, so that the length of its queue says how fast it is.
    package var isWorking: Bool { state.withLock { !$0.isFailing && $0.conclusion == nil } }
    /// Returns why the encoder refused another preset, each refusal once.
    package func takeRefusal() -> EncodingError? { state.withLock { $0.refusal.take() } }
    /// Returns the new encoder that continues after a failure, each once.
    package func takeRecovery() -> Recovery? { state.withLock { $0.recovery.take() } }
    /// Where and why the stream ended before the recording, or `nil` when it did not.
    package var conclusion: Conclusion? { state.withLock { $0.conclusion } }
    /// Why the stream ended before the recording, or `nil` when it did not.
    package var failure: EncodingError? { conclusion?.error }
    /// When and why x264 took over from the hardware encoder, or `nil` when it did not.
    package var fallback: EncoderFallback? { state.withLock { $0.fallback } }
    /// Returns when and why x264 took over from the hardware encoder, once.
    package func takeFallback() -> EncoderFallback? {
        state.withLock { state in
            guard !state.isFallbackTold, let fallback = state.fallback else { return nil }
            state.isFallbackTold = true
            return fallback
        }
    }

    /// Corrects a track's counts by what became of its frames here: damaged, replaced by repeats, or after the
    /// stream's end.
    package func corrected(_ counts: FrameCounts) -> FrameCounts {
        let (late, failed, fallback, damaged, unwritten) = state.withLock {
            ($0.queue.replaced, $0.replaced, $0.fallback, $0.damaged, $0.unwritten)
        }
        var counts = counts.withdrawing(damaged, cause: .corrupt)
            .withdrawing((fallback?.lostFrames ?? 0) + late.captured + failed.captured, cause: .encoder)
        let slates = late.slates + failed.slates
        counts.slate -= slates + unwritten.slates
        counts.repeated += slates - unwritten.repeats
        counts.captured -= unwritten.captured
        return counts
    }

    /// Ends the worker once the queue is empty: no tick follows.
    package func finish() {
        state.broadcast { $0.isFinished = true }
    }

    /// Ends the worker at once; waiting ticks are dropped.
    package func abandon() {
        state.broadcast { state in
            state.isFinished = true
            state.isAbandoned = true
        }
    }

    /// Waits until the worker has ended.
    package func join() { thread.join() }
}
