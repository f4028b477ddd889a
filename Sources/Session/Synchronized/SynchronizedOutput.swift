public import Media

/// Hands a program what several devices captured, tick by tick: one call has them all.
///
///     let output = SynchronizedOutput(roles: ["desk", "face", "host"], format: .converted(.nv12)) { tick in
///         guard case .frame(let desk)? = tick["desk"] else { return }
///         switch tick["face"] {
///         case .frame(let face): compose(desk.frame, face.frame, at: tick.time)
///         case .dropped(let cause): print("face: lost to \(cause)")
///         default: break  // nothing captured
///         }
///         if case .sound(let audio)? = tick["host"] { play(sound.samples) }
///     }
///     let session = setup.makeSession(options, synchronizedOutputs: [output])
///
/// It keeps to the rules of the recording's tracks: tick k stands at T0 + k/rate and has of each camera the frame
/// captured nearest to it, each frame at most once. Ticks come in order, beginning with tick 0 and ending with the
/// recording, about the session's alignment delay after their time; one with audio when the next tick is reached.
///
/// The handler runs on a thread of its own. When it is too slow, whole ticks are left out and counted; the recording does
/// not notice.
public final class SynchronizedOutput: Sendable {
    private struct Counts {
        var delivered = 0
        var leftOut = 0
        /// Since the last tick that found room.
        var justLeftOut = 0
    }

    /// Of cameras and microphones, the main one first.
    public let roles: [String]
    /// The grid's; `nil` is that of the first camera, or 50 a second where there is none.
    public let rate: FrameRate?
    public let format: FrameTap.Format
    private let queue: BoundedQueue<SynchronizedTick>
    private let counts = ConditionLock(Counts())
    private let handler: @Sendable (SynchronizedTick) -> Void

    /// - Parameters:
    ///   - roles: Of cameras and microphones that the session records, each once, at least one. The session refuses others
    ///     when it is to record.
    ///   - rate: The grid's; the first camera's when `nil`.
    ///   - format: What frames are converted to. One that cannot be is `dropped(.corrupt)`.
    ///   - capacity: How many ticks may wait for the handler, at least 1.
    ///   - handler: Called for each tick, one at a time.
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

    /// Ticks that the handler got.
    public var deliveredCount: Int { counts.withLock { $0.delivered } }
    /// Ticks that came while the handler was behind.
    public var droppedCount: Int { counts.withLock { $0.leftOut } }

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

    /// Starts the handler's thread; it ends when `finish` was called and the queue is empty.
    func start(with codecs: any CodecFactory) -> MediaThread {
        MediaThread(name: "tap:tick") { [self] in
            while let tick = queue.next() {
                handler(converted(tick, with: codecs))
                counts.withLock { $0.delivered += 1 }
            }
        }
    }

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
                // Its markers were whole, and what is between them is not.
                return .dropped(.corrupt)
            }
        }
    }
}
