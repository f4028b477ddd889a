public import Media
public import Plan

/// Takes stills of one camera of a session while it records, or only runs, without disturbing it.
///
/// Give its `tap` to the session; then `take` gives the next whole frame, and with it, where a clip is wanted, the camera's own
/// JPEGs around it out of a bounded ring.
public final class StillCamera: Sendable {
    fileprivate struct State {
        var ring: FrameRing?
        /// Of frames that came since somebody began to wait.
        var taken: CapturedFrame?
        /// When the last frame was captured.
        var latest: ClockTime?
        var waiting = 0
        /// Of stills from now on.
        var rotation: Rotation
        /// Where frames depend on each other, those from the last key frame on.
        var stream: [CapturedFrame] = []
        var streamBytes = 0
        /// The same as `taken` came, with that.
        var takenStream: [CapturedFrame] = []
    }

    public let role: String
    /// Gets every frame as it was captured.
    public let tap: FrameTap
    private let planned: PlannedCamera
    private let source: any CameraSource
    private let clock: any SessionClock
    private let live: Nanoseconds
    private let state: ConditionLock<State>

    /// So much memory at most for the frames of a clip: 1.5 s of a 4K camera at 30 frames a second need 90 MB.
    private static let ringBytes = 128 << 20
    /// Likewise for what a frame of a stream depends on: ten seconds between two key frames at 50 Mbit/s.
    fileprivate static let streamBytes = 64 << 20
    /// Longer clips are recordings.
    public static let longestClip = Nanoseconds.seconds(10)

    /// - Parameters:
    ///   - planned: The camera as it is used.
    ///   - source: That it is.
    ///   - clock: The session's.
    ///   - live: The length of clips around stills, at most `longestClip`; zero for none. The ring takes memory all the time, and
    ///     stays empty where the camera delivers no JPEGs.
    public init(
        _ planned: PlannedCamera, source: any CameraSource, clock: any SessionClock = MonotonicClock(),
        live: Nanoseconds = .zero
    ) {
        precondition(live >= .zero && live <= Self.longestClip, "a clip lasts 0…10 s")
        let state = ConditionLock(
            State(
                // A second more than a clip: on a busy machine whoever takes it comes late.
                ring: live > .zero
                    ? FrameRing(length: live + .seconds(1), byteLimit: Self.ringBytes) : nil,
                rotation: planned.rotation))
        self.state = state
        self.planned = planned
        self.source = source
        self.clock = clock
        self.live = live
        role = planned.role
        // The handler only takes note, so it is never behind by much. Raw frames may be the driver's memory, of which it needs
        // most back at once.
        let capacity = planned.format.pixel.isCompressed ? 8 : 2
        tap = FrameTap(role: planned.role, format: .asCaptured, capacity: capacity) { frame in
            Self.note(frame, in: state)
        }
        rest(true)
    }

    /// Without a clip to be kept, nobody looks at frames while no still is wanted; but a frame of a stream needs those before it.
    private func rest(_ isResting: Bool) {
        if live == .zero, planned.format.pixel != .h264 { tap.pause(isResting) }
    }

    /// Whether stills come with the clip around them.
    public var makesClips: Bool { live > .zero }

    /// Stills are to be turned by so much to be upright from now on, as the camera was turned.
    public func turn(to rotation: Rotation) { state.withLock { $0.rotation = rotation } }

    /// For who has frames from elsewhere than a tap: each whole one, in the order of capture. On any one thread.
    public func note(_ frame: CapturedFrame) { Self.note(frame, in: state) }

    private static func note(_ frame: CapturedFrame, in state: ConditionLock<State>) {
        let isWanted = state.broadcast { state in
            state.latest = frame.capturedAt
            // Raw frames may be the driver's memory, which nobody may keep for long.
            if frame.pixel == .mjpeg { state.ring?.add(frame) }
            if frame.pixel == .h264 { state.continueStream(with: frame) }
            let isWanted = state.waiting > 0 && state.taken == nil
            if isWanted { state.takenStream = state.stream }
            return isWanted
        }
        guard isWanted else { return }
        let owned = frame.ownedCopy()
        state.broadcast { state in
            if state.taken == nil { state.taken = owned }
        }
    }

    /// The next whole frame, and the clip around it where this camera makes clips: half of it is still to come then, and is
    /// waited for. Blocks its thread; not in a Swift task, nor from several threads at once.
    ///
    /// - Parameters:
    ///   - machinery: Decodes a frame of a stream.
    ///   - patience: How long a frame is waited for.
    /// - Returns: It, with what is known of its moment.
    /// - Throws: When none comes, or it cannot be decoded.
    public func take(
        with codecs: any CodecFactory, within patience: Nanoseconds = .seconds(2)
    ) throws(StillError) -> Still {
        state.withLock { state in
            state.waiting += 1
            state.taken = nil
        }
        rest(false)
        defer {
            state.withLock { $0.waiting -= 1 }
            rest(true)
        }
        guard var frame = state.wait(until: MonotonicClock().now + patience, { $0.taken }) else {
            throw .noFrame(role: role, seconds: patience.inSeconds)
        }
        if frame.pixel == .h264 { frame = try decoded(with: codecs, within: patience) }
        return Still(
            role: role, frame: frame, facts: facts(of: frame), clip: clip(around: frame, patience),
            rate: source.format.rate)
    }

    /// The frame of a stream that was taken, decoded by itself from its key frame on: what records the stream is not disturbed.
    private func decoded(
        with codecs: any CodecFactory, within patience: Nanoseconds
    ) throws(StillError) -> CapturedFrame {
        let stream = state.withLock { state in
            defer { state.takenStream = [] }
            return state.takenStream
        }
        do throws(EncodingError) {
            let decoder = try codecs.makeVideoDecoder(name: role)
            var latest: CapturedFrame?
            for frame in stream { latest = try decoder.decode(frame).ready.last ?? latest }
            if let latest { return latest }
        } catch {
            throw .encoding(error)
        }
        throw .noFrame(role: role, seconds: patience.inSeconds)
    }

    /// A clip without its end, as of a camera that was unplugged, is as long as there are frames.
    private func clip(around frame: CapturedFrame, _ patience: Nanoseconds) -> [CapturedFrame] {
        guard live > .zero else { return [] }
        let half = live / 2
        let end = frame.capturedAt + half
        _ = state.wait(until: MonotonicClock().now + half + patience) { state in
            state.latest.flatMap { $0 >= end ? true : nil }
        }
        let all = state.withLock { $0.ring?.frames ?? [] }
        return all.filter { $0.capturedAt >= frame.capturedAt - half && $0.capturedAt <= end }
    }

    private func facts(of frame: CapturedFrame) -> StillFacts {
        var controls: [DeviceControl] = []
        do throws(DeviceError) {
            controls = try source.controls()
        } catch {
            // It was unplugged since: the frame is there, and what its controls said is not known.
        }
        return StillFacts(
            date: clock.date(of: frame.capturedAt - planned.latency), device: source.device,
            rotation: state.withLock { $0.rotation }, isMirrored: planned.isMirrored, controls: controls)
    }
}

extension StillCamera.State {
    /// Keeps what later frames need; without its key frame nothing of it is of use.
    fileprivate mutating func continueStream(with frame: CapturedFrame) {
        if frame.isKey {
            stream.removeAll()
            streamBytes = 0
        } else if stream.isEmpty {
            return
        }
        stream.append(frame)
        streamBytes += frame.memory.bytes.count
        if streamBytes > StillCamera.streamBytes {
            stream.removeAll()
            streamBytes = 0
        }
    }
}
