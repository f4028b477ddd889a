public import Inputs
public import Media
public import Plan

/// Takes stills of one camera of a session while it records, or only runs, without disturbing it.
///
/// Give its `tap` to the session; then `take` returns the next whole frame. Where a clip is wanted, it also returns
/// the frames around it, out of a bounded ring, and the audio of a microphone.
public final class StillCamera: Sendable {
    fileprivate struct State {
        var ring: FrameRing?
        /// The first frame that came since a caller began to wait.
        var taken: CapturedFrame?
        /// Capture time of the last frame.
        var latest: ClockTime?
        var waiting = 0
        /// The camera's plan, and its source.
        var planned: PlannedCamera
        var source: any CameraSource
        /// The orientation of stills from now on.
        var rotation: Rotation
        /// For H.264, the frames from the last key frame on.
        var stream: [CapturedFrame] = []
        var streamBytes = 0
        /// For H.264, the frames that `taken` depends on, from its key frame on, and `taken` itself.
        var takenStream: [CapturedFrame] = []
    }

    /// The camera's role.
    public let role: String
    /// The tap to give to the session; it gets every frame as captured.
    public let tap: FrameTap
    private let clock: any SessionClock
    private let live: Nanoseconds
    private let microphone: ClipMicrophone?
    /// Makes JPEGs of raw frames for clips; `nil` where there are no clips of raw frames.
    private let codecs: (any CodecFactory)?
    private let state: ConditionLock<State>

    /// Most bytes of a clip's frames: 1.5 s of a 4K camera at 30 frames a second need 90 MB.
    private static let ringBytes = 128 << 20
    /// Most bytes of the H.264 frames since the last key frame: ten seconds at 50 Mbit/s.
    fileprivate static let streamBytes = 64 << 20
    /// The longest clip around a still: 10 s. A longer one is a recording.
    public static let longestClip = Nanoseconds.seconds(10)

    /// Creates a still camera, whose `tap` the session must get.
    ///
    /// - Parameters:
    ///   - planned: The camera's plan.
    ///   - source: The camera's opened source.
    ///   - clock: The session clock.
    ///   - live: Length of the clip around each still, at most `longestClip`; zero for none. The ring of a clip takes
    ///     memory all the time, and making JPEGs of raw frames processor time.
    ///   - microphone: Hears the audio of the clips; `nil` for none.
    ///   - codecs: Makes JPEGs of raw frames for clips. Without it the stills of a camera with raw frames have no clip.
    public init(
        _ planned: PlannedCamera, source: any CameraSource, clock: any SessionClock = MonotonicClock(),
        live: Nanoseconds = .zero, microphone: ClipMicrophone? = nil, codecs: (any CodecFactory)? = nil
    ) {
        precondition(live >= .zero && live <= Self.longestClip, "a clip lasts 0…10 s")
        let state = ConditionLock(
            State(
                // A second more than a clip: on a busy machine the thread that takes it comes late.
                ring: live > .zero
                    ? FrameRing(length: live + .seconds(1), byteLimit: Self.ringBytes) : nil,
                planned: planned, source: source, rotation: planned.rotation))
        self.state = state
        self.clock = clock
        self.live = live
        self.microphone = microphone
        let codecs = live > .zero ? codecs : nil
        self.codecs = codecs
        role = planned.role
        // The handler only notes frames, so it is never behind by much. Raw frames may be the driver's memory, which the
        // driver needs back soon.
        let capacity = planned.format.pixel.isCompressed ? 8 : 2
        tap = FrameTap(role: planned.role, notingAtOnce: capacity) { frame in
            Self.note(frame, in: state, codecs)
        }
        rest(true)
    }

    /// Pauses or resumes the tap where no clip is kept, since nobody looks at frames while no still is wanted. The
    /// tap of an H.264 camera never pauses: a frame needs those before it.
    private func rest(_ isResting: Bool) {
        let pixel = state.withLock(\.planned).format.pixel
        if live == .zero { tap.pause(isResting && pixel != .h264) }
    }

    /// Sets the clockwise rotation that makes stills upright from now on, after the camera was turned.
    public func turn(to rotation: Rotation) { state.withLock { $0.rotation = rotation } }

    /// Goes on with another camera of the same role; the tap stays.
    public func exchange(_ planned: PlannedCamera, source: any CameraSource) {
        let isIdle = state.withLock { state in
            (state.planned, state.source) = (planned, source)
            return state.waiting == 0
        }
        rest(isIdle)
    }

    /// Takes a frame from a caller that has frames from elsewhere than `tap`: each whole frame, in the order of
    /// capture, on any one thread.
    public func note(_ frame: CapturedFrame) { Self.note(frame, in: state, codecs) }

    private static func note(
        _ frame: CapturedFrame, in state: ConditionLock<State>, _ codecs: (any CodecFactory)?
    ) {
        let kept = kept(frame, codecs)
        let isWanted = state.broadcast { state in
            state.latest = frame.capturedAt
            if let kept { state.ring?.add(kept) }
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

    /// The frame as it is kept for a clip. Raw frames may be the driver's memory, which must not be kept for long: a JPEG is
    /// made of each.
    private static func kept(_ frame: CapturedFrame, _ codecs: (any CodecFactory)?) -> CapturedFrame? {
        guard !frame.pixel.isCompressed else { return frame }
        guard let codecs else { return nil }
        do throws(EncodingError) {
            return CapturedFrame(
                pixel: .mjpeg, size: frame.size, color: .jpeg, capturedAt: frame.capturedAt,
                sequence: frame.sequence, memory: try codecs.makeStill(of: frame), isOwned: true)
        } catch {
            // The frame is missing in the clip; the recording has it.
            return nil
        }
    }

    /// Takes the next whole frame, and the clip around it when this camera makes clips: then it waits until the
    /// second half of the clip has come. Blocks its thread; do not call it from a Swift task, nor from several
    /// threads at once.
    ///
    /// - Parameters:
    ///   - codecs: Decodes H.264.
    ///   - patience: How long to wait for a frame.
    /// - Returns: The still, with the facts of its moment.
    /// - Throws: `StillError.noFrame` when no frame comes in time, `.encoding` when the frame cannot be decoded.
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
        let facts = facts(of: frame)
        let (clip, leadCount) = clip(around: frame, patience)
        return Still(
            role: role, frame: frame, facts: facts, clip: clip, leadCount: leadCount,
            sound: sound(of: clip.dropFirst(leadCount), patience),
            rate: state.withLock(\.source).format.rate)
    }

    /// Decodes the H.264 frame that was taken, from its key frame on, with a decoder of its own: the recording is not
    /// disturbed.
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

    /// The frames within half a clip's length of the still; fewer where frames are missing, as of a camera that was
    /// unplugged. Of H.264, also those back to the key frame before, and their number.
    private func clip(
        around frame: CapturedFrame, _ patience: Nanoseconds
    ) -> (frames: [CapturedFrame], leadCount: Int) {
        guard live > .zero else { return ([], 0) }
        let half = live / 2
        let end = frame.capturedAt + half
        _ = state.wait(until: MonotonicClock().now + half + patience) { state in
            state.latest.flatMap { $0 >= end ? true : nil }
        }
        let all = state.withLock { $0.ring?.frames ?? [] }.filter { $0.capturedAt <= end }
        guard let first = all.firstIndex(where: { $0.capturedAt >= frame.capturedAt - half }) else {
            return ([], 0)
        }
        guard let key = all[...first].lastIndex(where: \.isKey) else { return ([], 0) }
        return (Array(all[key...]), first - key)
    }

    /// The audio beside some frames, from the first to the end of the last.
    private func sound(of shown: ArraySlice<CapturedFrame>, _ patience: Nanoseconds) -> ClipSound? {
        guard let first = shown.first, let last = shown.last else { return nil }
        let (planned, source) = state.withLock { ($0.planned, $0.source) }
        return microphone?.sound(
            from: first.capturedAt - planned.latency,
            length: last.capturedAt - first.capturedAt + source.format.rate.interval, within: patience)
    }

    private func facts(of frame: CapturedFrame) -> StillFacts {
        let (planned, source) = state.withLock { ($0.planned, $0.source) }
        var controls: [DeviceControl] = []
        do throws(DeviceError) {
            controls = try source.controls()
        } catch {
            // The camera was unplugged since: there is a frame, and its controls are unknown.
        }
        return StillFacts(
            date: clock.date(of: frame.capturedAt - planned.latency), device: source.device,
            rotation: state.withLock { $0.rotation }, isMirrored: planned.isMirrored, controls: controls)
    }
}

extension StillCamera.State {
    /// Keeps the frames that later ones depend on: those from the last key frame on, unless they exceed
    /// `streamBytes`.
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
