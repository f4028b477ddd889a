public import MulticamInputs
public import MulticamMedia
public import MulticamTiming

/// Delivers the data captured by several devices to the caller, tick by tick, in one call for all devices.
///
/// ```swift
/// let output = SynchronizedOutput(roles: ["desk", "face", "host"], format: .converted(.nv12)) { tick in
///     guard case .frame(let desk)? = tick["desk"] else { return }
///     switch tick["face"] {
///     case .frame(let face): compose(desk.frame, face.frame, at: tick.time)
///     case .dropped(let cause): print("face: lost to \(cause)")
///     default: break  // nothing captured
///     }
///     if case .audio(let audio)? = tick["host"] { play(audio.samples) }
/// }
/// configuration.synchronizedOutputs = [output]
/// let session = try await MulticamSession(configuration)
/// ```
///
/// Ticks follow the same rules as in the recording's tracks. Tick k is at T0 + k/rate and contains, for each
/// camera, the frame captured nearest to that time. No frame is delivered twice. Ticks arrive in order, from
/// tick 0 to the end of the recording, delayed by about the session's alignment delay. A tick that contains
/// audio is delivered when the next tick is reached.
///
/// The handler runs on a separate thread. If the handler is too slow, whole ticks are dropped and counted. The
/// recording isn't affected.
public final class SynchronizedOutput: Sendable {
    private struct Counts {
        var delivered = 0
        var dropped = 0
        /// Ticks dropped since the last tick that was queued.
        var droppedSinceDelivery = 0
    }

    /// Roles of the cameras and microphones, starting with the main device.
    public let roles: [String]
    /// Rate of the grid. `nil` means the rate of the first camera, or 50 ticks per second without a camera.
    public let rate: FrameRate?
    /// Pixel format of the frames that the handler receives.
    public let format: FrameRequest.Format
    private let queue: BoundedQueue<SynchronizedTick>
    private let counts = ConditionLock(Counts())
    private let handler: @Sendable (SynchronizedTick) -> Void

    /// Creates an output that calls `handler` for each tick.
    ///
    /// - Parameters:
    ///   - roles: Roles of cameras and microphones in the session: at least one, without duplicates. The initializer of the
    ///     session throws an error for other roles.
    ///   - rate: Rate of the grid. `nil` means the rate of the first camera, or 50 ticks per second without a camera.
    ///   - format: Pixel format of the frames that the handler receives. A frame that can't be converted becomes
    ///     `dropped(.corrupt)`.
    ///   - capacity: Maximum number of ticks queued for the handler; values below 1 count as 1.
    ///   - handler: Called for each tick, one at a time, on the output's own thread.
    public init(
        roles: [String], rate: FrameRate? = nil, format: FrameRequest.Format = .asCaptured, capacity: Int = 4,
        handler: @escaping @Sendable (SynchronizedTick) -> Void
    ) {
        self.roles = roles
        self.rate = rate
        self.format = format
        self.handler = handler
        queue = BoundedQueue(capacity: max(1, capacity))
    }

    /// Number of ticks that the handler received.
    public var deliveredCount: Int { counts.withLock { $0.delivered } }
    /// Number of ticks dropped because the handler was too slow.
    public var droppedCount: Int { counts.withLock { $0.dropped } }

    /// Queues a tick for the handler. If the queue is full, the tick is dropped and counted. Never blocks.
    func offer(_ tick: SynchronizedTick) {
        counts.withLock { counts in
            if queue.tryEnqueue(tick.after(dropping: counts.droppedSinceDelivery)) {
                counts.droppedSinceDelivery = 0
            } else {
                counts.droppedSinceDelivery += 1
                counts.dropped += 1
            }
        }
    }

    /// Starts the handler's thread, which ends after `finish` when the queue is empty.
    func start(with codecs: any CodecFactory) -> MediaThread {
        MediaThread.startWhenPossible(name: "tap:tick") { [self] in
            while let tick = queue.dequeue() {
                handler(converted(tick, with: codecs))
                counts.withLock { $0.delivered += 1 }
            }
        }
    }

    /// Ends the output. After this call, no more ticks may be queued.
    func finish() {
        queue.finish()
    }

    private func converted(_ tick: SynchronizedTick, with codecs: any CodecFactory) -> SynchronizedTick {
        guard case .converted(let pixel) = format else { return tick }
        return tick.map { capture in
            guard case .frame(let captured) = capture else { return capture }
            do throws(EncodingError) {
                return .frame(
                    SynchronizedFrame(
                        frame: try codecs.convert(captured.frame, to: pixel),
                        capturedAt: captured.capturedAt, sequence: captured.sequence))
            } catch {
                // The frame's JPEG markers are intact, but the data between them is damaged.
                return .dropped(.corrupt)
            }
        }
    }
}

/// One tick of a `SynchronizedOutput`, with the data that each device captured.
public struct SynchronizedTick: Sendable {
    /// The data that one device captured for a tick.
    package struct Entry: Sendable {
        /// Role of the device.
        package let role: String
        /// The data that the device captured for the tick.
        package let capture: SynchronizedCapture
    }

    /// Index of the tick, starting at 0. Only the dropped ticks counted by `dropped` are missing from the sequence.
    public let index: Int64
    /// Time of the tick since T0: index ÷ rate.
    public let time: MediaTime
    /// Number of ticks directly before this one that were dropped because the handler was too slow.
    public let droppedBefore: Int
    /// One entry for each device, in the order of the output's roles, starting with the main device.
    package let entries: [Entry]

    /// Returns the data captured by a role's device, or `nil` for a role that isn't part of the output.
    public subscript(role: String) -> SynchronizedCapture? {
        entries.first { $0.role == role }?.capture
    }

    /// Returns a copy of this tick with a different count of preceding dropped ticks.
    func after(dropping count: Int) -> Self {
        Self(index: index, time: time, droppedBefore: count, entries: entries)
    }

    /// Returns a copy of this tick with transformed captures.
    func map(_ change: (SynchronizedCapture) -> SynchronizedCapture) -> Self {
        let changed = entries.map { Entry(role: $0.role, capture: change($0.capture)) }
        return Self(index: index, time: time, droppedBefore: droppedBefore, entries: changed)
    }
}

/// The data that one device of a `SynchronizedOutput` captured for one tick.
public enum SynchronizedCapture: Sendable {
    /// The camera's frame captured nearest to the tick, if it wasn't part of an earlier tick.
    case frame(SynchronizedFrame)
    /// The microphone's audio from this tick to the next. Missing audio is replaced by silence.
    case audio(SynchronizedAudio)
    /// The camera captured a frame for this tick, but the frame was lost.
    case dropped(LossCause)
    /// The camera didn't deliver a frame for this tick. The camera is slower than the grid, has a longer exposure, or
    /// is disconnected, or the frame took longer than the session's alignment delay and hadn't arrived when the tick
    /// was processed.
    case nothing
}

/// A camera's frame for one tick.
public struct SynchronizedFrame: Sendable {
    /// The frame as captured, or converted to the output's format. A raw frame may borrow the driver's
    /// memory: use `ownedCopy()` to keep the frame after the handler returns.
    public let frame: CapturedFrame
    /// Capture time, relative to T0, from the model of the camera's clock, minus the camera's latency.
    /// `frame.capturedAt` is the raw timestamp.
    public let capturedAt: MediaTime
    /// The camera's own frame counter.
    public let sequence: Int64
}

/// A microphone's audio from one tick to the next, aligned to the session's clock, at 48 kHz.
public struct SynchronizedAudio: Sendable {
    /// Index of the first sample, which is at T0 + index/48 000 s.
    public let firstSample: Int64
    /// Number of channels in `samples`.
    public let channels: Int
    /// Interleaved samples; full scale is ±1.
    public let samples: [Float]
    /// Ranges of the samples that are silence because audio is missing, in order.
    public let missing: [MissingAudio]

    /// Number of samples per channel.
    public var frameCount: Int { samples.count / channels }
}
