public import Inputs
public import Media

/// Hands a program what several devices captured, tick by tick, in one call for all devices.
///
///     let output = SynchronizedOutput(roles: ["desk", "face", "host"], format: .converted(.nv12)) { tick in
///         guard case .frame(let desk)? = tick["desk"] else { return }
///         switch tick["face"] {
///         case .frame(let face): compose(desk.frame, face.frame, at: tick.time)
///         case .dropped(let cause): print("face: lost to \(cause)")
///         default: break  // nothing captured
///         }
///         if case .audio(let audio)? = tick["host"] { play(audio.samples) }
///     }
///     let session = setup.makeSession(options, synchronizedOutputs: [output])
///
/// The rules of the recording's tracks hold: tick k stands at T0 + k/rate and has of each camera the frame captured
/// nearest to it; no frame appears twice. Ticks come in order, from tick 0 to the end of the recording, about the
/// session's alignment delay after their time; a tick with audio comes when the next one is reached.
///
/// The handler runs on a thread of its own. When it is too slow, whole ticks are dropped and counted; the recording
/// is not affected.
public final class SynchronizedOutput: Sendable {
    private struct Counts {
        var delivered = 0
        var leftOut = 0
        /// Ticks dropped since the last one that found room.
        var justLeftOut = 0
    }

    /// Roles of the cameras and microphones, the main one first.
    public let roles: [String]
    /// Rate of the grid; `nil` for the rate of the first camera, or 50 a second when there is no camera.
    public let rate: FrameRate?
    /// Pixel format in which the handler gets frames.
    public let format: FrameTap.Format
    private let queue: BoundedQueue<SynchronizedTick>
    private let counts = ConditionLock(Counts())
    private let handler: @Sendable (SynchronizedTick) -> Void

    /// Creates an output that calls `handler` for each tick.
    ///
    /// - Parameters:
    ///   - roles: Roles of cameras and microphones that the session records: at least one, each once. `record` throws
    ///     `.unknownRole` for others.
    ///   - rate: Rate of the grid; `nil` for the rate of the first camera, or 50 a second when there is no camera.
    ///   - format: Pixel format in which the handler gets frames. A frame that cannot be converted becomes
    ///     `dropped(.corrupt)`.
    ///   - capacity: How many ticks may wait for the handler, at least 1.
    ///   - handler: Called for each tick, one at a time, on the output's own thread.
    public init(
        roles: [String], rate: FrameRate? = nil, format: FrameTap.Format = .asCaptured, capacity: Int = 4,
        handler: @escaping @Sendable (SynchronizedTick) -> Void
    ) {
        precondition(!roles.isEmpty, "a synchronised output needs a device")
        precondition(Set(roles).count == roles.count, "a synchronised output has each role once: \(roles)")
        self.roles = roles
        self.rate = rate
        self.format = format
        self.handler = handler
        queue = BoundedQueue(capacity: capacity)
    }

    /// Number of ticks that the handler got.
    public var deliveredCount: Int { counts.withLock { $0.delivered } }
    /// Number of ticks dropped because the handler was too slow.
    public var droppedCount: Int { counts.withLock { $0.leftOut } }

    /// Queues a tick for the handler, or drops and counts it. Never blocks.
    func offer(_ tick: SynchronizedTick) {
        counts.withLock { counts in
            if queue.offer(tick.after(leavingOut: counts.justLeftOut)) {
                counts.justLeftOut = 0
            } else {
                counts.justLeftOut += 1
                counts.leftOut += 1
            }
        }
    }

    /// Starts the handler's thread, which ends after `finish` when the queue is empty.
    func start(with codecs: any CodecFactory) -> MediaThread {
        MediaThread(name: "tap:tick") { [self] in
            while let tick = queue.next() {
                handler(converted(tick, with: codecs))
                counts.withLock { $0.delivered += 1 }
            }
        }
    }

    /// Ends the output: no tick follows.
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
                // The frame's markers are whole, and the data between them is damaged.
                return .dropped(.corrupt)
            }
        }
    }
}
