package import Media
internal import SessionFolder
package import Timing
package import Writers

/// The thread that composes and encodes one stream of frames, and the queue before it.
///
/// Every tick that is handed over comes to be in the file. The queue is bounded (`EncoderQueue`): at most one second of
/// ticks waits, half a second while the encoder is slow, and what is beyond that repeats the frame before it. So a crash
/// takes at most that, and no recording fills the memory. In simulated time, which would outrun every encoder, whoever
/// brings a tick waits for room instead.
///
/// An encoder that fails is replaced (`EncodingRun`). After three failed attempts in a row the stream ends.
package final class VideoEncoderWorker: Sendable {
    /// Where a stream ended because no encoder would go on with it.
    package struct Conclusion: Sendable {
        /// The first tick that is not in the file.
        package let tick: Int64
        let error: EncodingError
    }

    /// A new encoder went on in place of one that had failed.
    package struct Recovery: Sendable {
        /// The first tick that the new encoder made.
        let tick: Int64
        let error: EncodingError
        /// New frames that are not in the file.
        var lost: Int
    }

    struct State {
        var queue: EncoderQueue
        /// Ticks of the job that the encoder is at.
        var ticksAtHand = 0
        /// What a new frame and a repeat took lately.
        var frameTime = Nanoseconds.zero
        var repeatTime = Nanoseconds.zero
        var isFinished = false
        var isAbandoned = false
        /// From the failure of an encoder until its successor's first packet.
        var isFailing = false
        var conclusion: Conclusion?
        var recovery: Recovery?
        /// Frames that went down with an encoder; repeats stand in their places.
        var replaced = EncoderQueue.Replaced()
        var unwritten = VideoEncoderWorker.Unwritten()
        var damaged = 0
        /// The preset to go on with, from the next frame on.
        var preset: VideoEncodingSettings.Preset?
        /// Why the encoder did not go on with another preset.
        var refusal: EncodingError?
        /// That x264 encodes what hardware was to.
        var fallback: EncoderFallback?
        var isFallbackTold = false

        /// How long it will take to encode what waits, as far as the last frames tell.
        var backlog: Nanoseconds {
            let repeats = min(queue.tickCount - queue.frameCount, queue.runCount * FrameRun.longestSingly)
            return frameTime * Int64(queue.frameCount) + repeatTime * Int64(repeats)
        }

        /// Takes note of how long a job took. Eight of them make a mean, and none counts as more than four times as long
        /// as the mean: one slow frame is no slow encoder.
        mutating func note(_ taken: Nanoseconds, isRepeat: Bool) {
            let mean = isRepeat ? repeatTime : frameTime
            let next =
                mean == .zero ? taken : mean + Nanoseconds((min(taken, mean * 4) - mean).count / 8)
            if isRepeat { repeatTime = next } else { frameTime = next }
        }

        /// Takes note of a tick that comes to a stream that has ended.
        mutating func leaveOut(_ job: EncoderQueue.Job) {
            switch job {
            case .encode(let frame): unwritten.add(frame.isSlate ? .slate : .captured, ticks: 1)
            case .repeatLast(let ticks, _): unwritten.add(.again, ticks: ticks.count)
            }
        }
    }

    /// Ticks that were decided and lie behind the end of a stream that failed, by what they were to show.
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

    /// Makes another encoder of the same stream.
    package typealias Making = @Sendable () throws(EncodingError) -> Carried<any VideoEncoding>

    private let state: ConditionLock<State>
    private let thread: MediaThread
    package let waitsForRoom: Bool

    /// How many ticks may wait with new frames: time for the governor to act before frames are lost.
    package let room: Int

    /// The hardware encoder that begins the stream; `nil` where x264 does.
    let hardware: HardwareEncoder?

    /// An encoder that would take so long for what waits is slow.
    private static let slowBacklog = Nanoseconds.milliseconds(500)

    /// - Parameters:
    ///   - name: The thread's.
    ///   - encoder: Used by this lane's thread alone from here on.
    ///   - another: Makes its successor, should it fail. Called on this lane's thread.
    ///   - lane: Where the packets go.
    ///   - waitsForRoom: In simulated time, where waiting costs nothing.
    package init(
        name: String, encoder: sending any VideoEncoding, another: @escaping Making, to lane: TrackSink,
        waitsForRoom: Bool
    ) {
        self.waitsForRoom = waitsForRoom
        hardware = encoder.hardware
        let queue = EncoderQueue(rate: encoder.parameters.rate ?? FrameRate(30))
        room = queue.room
        let state = ConditionLock(State(queue: queue, fallback: encoder.takeFallback()))
        self.state = state
        let carried = Carried(encoder)
        thread = MediaThread(name: name) {
            EncodingRun(carried.value, another: another, state: state, lane: lane).run()
        }
    }

    /// Queues a tick's layers.
    ///
    /// - Parameters:
    ///   - layers: From the back to the front.
    ///   - tick: The next one.
    ///   - asKey: Whether a file is to begin with it.
    ///   - isSlate: Whether it shows a slate and no captured frame.
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

    /// Goes on with another preset, from the next frame that it takes.
    package func change(to preset: VideoEncodingSettings.Preset) {
        state.withLock { $0.preset = preset }
    }

    /// How many ticks wait, and never more than there is room for. Of a run that is encoded now, all but one do.
    package var queueLength: Int {
        state.withLock { min($0.queue.tickCount + max($0.ticksAtHand - 1, 0), $0.queue.room) }
    }
    package var backlog: Nanoseconds { state.withLock { $0.backlog } }
    /// Whether there is an encoder, so that the length of its queue says how fast it is.
    package var isWorking: Bool { state.withLock { !$0.isFailing && $0.conclusion == nil } }
    /// Why it did not go on with another preset, told once.
    package func takeRefusal() -> EncodingError? { state.withLock { $0.refusal.take() } }
    /// The new encoder that goes on after a failure; each is returned once.
    package func takeRecovery() -> Recovery? { state.withLock { $0.recovery.take() } }
    /// Where and why the stream ended before the recording; `nil` where it did not.
    package var conclusion: Conclusion? { state.withLock { $0.conclusion } }
    package var failure: EncodingError? { conclusion?.error }
    /// That x264 encodes what hardware was to.
    package var fallback: EncoderFallback? { state.withLock { $0.fallback } }
    /// The same, told once.
    package func takeFallback() -> EncoderFallback? {
        state.withLock { state in
            guard !state.isFallbackTold, let fallback = state.fallback else { return nil }
            state.isFallbackTold = true
            return fallback
        }
    }

    /// What became of a track's frames here, by what the track decided.
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

    /// No job follows.
    package func finish() {
        state.broadcast { $0.isFinished = true }
    }

    /// Leaves the waiting jobs undone.
    package func abandon() {
        state.broadcast { state in
            state.isFinished = true
            state.isAbandoned = true
        }
    }

    package func join() { thread.join() }
}
