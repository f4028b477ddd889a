package import MulticamInputs
package import MulticamMedia
package import MulticamPlan

/// Takes stills from one camera of a session without affecting the session, whether or not a recording is
/// running.
///
/// Pass the still camera's `tap` to the session. `takeStill` then returns the next complete frame. If clips are
/// enabled, `takeStill` also returns the surrounding frames from a bounded ring buffer, and the audio of a
/// microphone.
package final class StillCamera: Sendable {
    fileprivate struct State {
        var ring: FrameRing?
        /// The first frame that arrived after a caller started to wait for a frame.
        var taken: CapturedFrame?
        /// Capture time of the most recent frame.
        var latest: ClockTime?
        var waiting = 0
        /// The camera's plan. The camera's source is stored separately.
        var planned: PlannedCamera
        var source: any CameraSource
        /// The rotation that is applied to future stills.
        var rotation: Rotation
        /// For H.264, the camera's frames since the last key frame.
        var stream: [CapturedFrame] = []
        var streamBytes = 0
        /// For H.264, the frames that are required to decode `taken`, from the preceding key frame up to
        /// `taken` itself.
        var takenStream: [CapturedFrame] = []
    }

    /// The camera's role.
    package let role: String
    /// The tap to pass to the session, which receives every frame as captured.
    package let tap: FrameTap
    private let clock: any SessionClock
    private let clipLength: Nanoseconds
    /// Whether H.264 frames are stored permanently, so that a still can be taken at any frame.
    private let keepsStream: Bool
    private let audioBuffer: ClipAudioBuffer?
    /// Encodes raw frames as JPEG for clips; `nil` to disable clips of raw frames.
    private let codecs: (any CodecFactory)?
    private let state: ConditionLock<State>

    /// Maximum total size of a clip's frames, in bytes. A 4K camera at 30 frames per second needs 90 MB for
    /// 1.5 s.
    private static let ringBytes = 128 << 20
    /// Maximum total size of the H.264 frames since the last key frame, in bytes: ten seconds at 50 Mbit/s.
    fileprivate static let streamBytes = 64 << 20
    /// Maximum time to wait for the next key frame of an H.264 camera.
    private static let keyFramePatience = Nanoseconds.seconds(12)
    /// Maximum length of the clip around a still: 10 s. Use a recording for longer clips.
    package static let longestClip = Nanoseconds.seconds(10)

    /// Creates a still camera. Pass the still camera's `tap` to the session.
    ///
    /// - Parameters:
    ///   - planned: The camera's plan.
    ///   - source: The camera's opened source.
    ///   - clock: The session clock.
    ///   - live: Length of the clip around each still, at most `longestClip`; zero disables clips. The ring
    ///     buffer of a clip permanently uses memory, and encoding raw frames as JPEG uses CPU time.
    ///   - microphone: Provides the audio of the clips; `nil` for clips without audio.
    ///   - codecs: Encodes raw frames as JPEG for clips. If the value is `nil`, no clips are made if the
    ///     camera delivers raw frames.
    ///   - keepsStream: Whether the frames of an H.264 camera since its last key frame are stored, up to 64 MiB. If
    ///     `false`, a still without a clip is the camera's next key frame.
    package init(
        _ planned: PlannedCamera, source: any CameraSource, clock: any SessionClock = MonotonicClock(),
        live: Nanoseconds = .zero, microphone: ClipAudioBuffer? = nil, codecs: (any CodecFactory)? = nil,
        keepsStream: Bool = true
    ) {
        precondition(live >= .zero && live <= Self.longestClip, "the clip duration must be 0 to 10 s")
        let state = ConditionLock(
            State(
                // The ring buffer holds one second more than a clip, because the thread that reads the buffer
                // may be late on a busy machine.
                ring: live > .zero
                    ? FrameRing(length: live + .seconds(1), byteLimit: Self.ringBytes) : nil,
                planned: planned, source: source, rotation: planned.rotation))
        self.state = state
        self.clock = clock
        self.clipLength = live
        self.keepsStream = keepsStream
        self.audioBuffer = microphone
        let codecs = live > .zero ? codecs : nil
        self.codecs = codecs
        role = planned.role
        // The tap's handler only stores frames, so it never falls far behind. Raw frames may be in driver
        // memory, which the driver needs back soon.
        let capacity = planned.format.pixel.isCompressed ? 8 : 2
        tap = FrameTap(role: planned.role, rawCapacity: capacity) { frame in
            Self.receive(frame, in: state, codecs)
        }
        setTapPaused(true)
    }

    /// Pauses or resumes the tap. If no clips are made, frames are needed only while a still is being taken.
    /// The tap of an H.264 camera pauses only if its stream isn't stored, because H.264 frames depend on previous frames.
    private func setTapPaused(_ isResting: Bool) {
        guard clipLength == .zero else { return }
        let isPaused = state.withLock { state in
            let isPaused = isResting && !(keepsStream && state.planned.format.pixel == .h264)
            // Frames from before a pause can't be continued afterward.
            if isPaused || state.waiting <= 1, !keepsStream { state.clearStream() }
            return isPaused
        }
        tap.pause(isPaused)
    }

    /// Sets the clockwise rotation that makes future stills upright, after the camera has been rotated.
    package func setRotation(_ rotation: Rotation) { state.withLock { $0.rotation = rotation } }

    /// Continues with another camera that has taken over the role. The same tap receives the frames of the
    /// new camera.
    package func replace(with planned: PlannedCamera, source: any CameraSource) {
        let isIdle = state.withLock { state in
            (state.planned, state.source) = (planned, source)
            return state.waiting == 0
        }
        setTapPaused(isIdle)
    }

    /// Adds a frame from a source other than `tap`. Pass all complete frames in order of capture, on a single thread.
    package func receive(_ frame: CapturedFrame) { Self.receive(frame, in: state, codecs) }

    private static func receive(
        _ frame: CapturedFrame, in state: ConditionLock<State>, _ codecs: (any CodecFactory)?
    ) {
        let kept = clipFrame(frame, codecs)
        let isWanted = state.broadcast { state in
            state.latest = frame.capturedAt
            if let kept { state.ring?.add(kept) }
            if frame.pixel == .h264 { state.appendToStream(frame) }
            // A frame of an H.264 camera can be decoded only together with the preceding key frame.
            let isWanted =
                state.waiting > 0 && state.taken == nil && (frame.pixel != .h264 || !state.stream.isEmpty)
            if isWanted { state.takenStream = state.stream }
            return isWanted
        }
        guard isWanted else { return }
        let owned = frame.ownedCopy()
        state.broadcast { state in
            if state.taken == nil { state.taken = owned }
        }
    }

    /// Returns the frame to store for a clip. Raw frames are encoded as JPEG, because they may be in driver
    /// memory, which must not be held for long.
    private static func clipFrame(_ frame: CapturedFrame, _ codecs: (any CodecFactory)?) -> CapturedFrame? {
        guard !frame.pixel.isCompressed else { return frame }
        guard let codecs else { return nil }
        do throws(EncodingError) {
            return CapturedFrame(
                pixel: .mjpeg, size: frame.size, color: .jpeg, capturedAt: frame.capturedAt,
                sequence: frame.sequence, memory: try codecs.makeStill(of: frame), isOwned: true)
        } catch {
            // If encoding fails, the frame is missing only from the clip. The recording still contains the
            // frame.
            return nil
        }
    }

    /// Takes the next complete frame. If this camera makes clips, waits until the second half of the clip has been
    /// captured. Blocks the calling thread. Don't call this method from a Swift task or from several threads at once.
    ///
    /// - Parameters:
    ///   - codecs: The codec factory, which creates the H.264 decoder.
    ///   - limit: Maximum time to wait for a frame. By default, 2 s, or 12 s if the next key frame is required.
    /// - Returns: The still and its metadata.
    /// - Throws: `StillError.noFrame` if no frame arrives in time, `.encoding` if the frame cannot be decoded.
    package func takeStill(
        with codecs: any CodecFactory, within limit: Nanoseconds? = nil
    ) throws(StillError) -> Still {
        let isStream = state.withLock(\.planned).format.pixel == .h264
        let patience = limit ?? (isStream && !keepsStream ? Self.keyFramePatience : .seconds(2))
        state.withLock { state in
            state.waiting += 1
            state.taken = nil
        }
        setTapPaused(false)
        defer {
            state.withLock { $0.waiting -= 1 }
            setTapPaused(true)
        }
        guard var frame = state.wait(until: MonotonicClock().now + patience, { $0.taken }) else {
            throw .noFrame(role: role, seconds: patience.inSeconds)
        }
        if frame.pixel == .h264 { frame = try decoded(with: codecs, within: patience) }
        let facts = metadata(of: frame)
        let (clip, leadCount) = clip(around: frame, patience)
        return Still(
            role: role, frame: frame, facts: facts, clip: clip, leadCount: leadCount,
            sound: sound(of: clip.dropFirst(leadCount), patience),
            rate: state.withLock(\.source).format.rate)
    }

    /// Decodes the H.264 frame of the still, starting with the preceding key frame. A separate decoder is
    /// used, so the recording is not affected.
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

    /// Returns the frames within half a clip's length before and after the still. The clip is shorter if
    /// frames are missing, for example because the camera was unplugged. For H.264, the result starts with
    /// the preceding key frame. The method also returns the number of these additional leading frames.
    private func clip(
        around frame: CapturedFrame, _ patience: Nanoseconds
    ) -> (frames: [CapturedFrame], leadCount: Int) {
        guard clipLength > .zero else { return ([], 0) }
        let half = clipLength / 2
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

    /// Returns the audio for the clip's frames, from the start of the first frame to the end of the last
    /// frame.
    private func sound(of shown: ArraySlice<CapturedFrame>, _ patience: Nanoseconds) -> ClipSound? {
        guard let first = shown.first, let last = shown.last else { return nil }
        let (planned, source) = state.withLock { ($0.planned, $0.source) }
        return audioBuffer?.sound(
            from: first.capturedAt - planned.latency,
            length: last.capturedAt - first.capturedAt + source.format.rate.interval, within: patience)
    }

    private func metadata(of frame: CapturedFrame) -> StillMetadata {
        let (planned, source) = state.withLock { ($0.planned, $0.source) }
        var controls: [DeviceControl] = []
        do throws(DeviceError) {
            controls = try source.readControls()
        } catch {
            // The camera was unplugged after the frame was taken. The frame exists, but the values of the
            // camera's controls are unknown.
        }
        return StillMetadata(
            date: clock.date(of: frame.capturedAt - planned.latency), device: source.device,
            rotation: state.withLock { $0.rotation }, isMirrored: planned.isMirrored, controls: controls)
    }
}

extension StillCamera.State {
    /// Stores the frames that are required to decode later frames, starting with the last key frame, unless
    /// their total size exceeds `streamBytes`.
    fileprivate mutating func appendToStream(_ frame: CapturedFrame) {
        if frame.isKey { clearStream() } else if stream.isEmpty { return }
        stream.append(frame)
        streamBytes += frame.memory.bytes.count
        if streamBytes > StillCamera.streamBytes { clearStream() }
    }

    fileprivate mutating func clearStream() {
        stream.removeAll()
        streamBytes = 0
    }
}

/// A ring buffer of a camera's most recent frames, bounded in time and in bytes. For H.264, the buffer starts
/// with a key frame, because no frame can be decoded without the preceding key frame.
package struct FrameRing {
    package private(set) var frames: [CapturedFrame] = []
    private var byteCount = 0
    private let length: Nanoseconds
    private let byteLimit: Int

    /// Creates an empty ring buffer.
    ///
    /// - Parameters:
    ///   - length: Maximum time from the first to the last frame, in nanoseconds. For H.264, this time is
    ///     measured from the first frame that can be decoded without other frames.
    ///   - byteLimit: Maximum total size of all frames, in bytes. The newest frame is always stored, except
    ///     for H.264.
    package init(length: Nanoseconds, byteLimit: Int) {
        self.length = length
        self.byteLimit = byteLimit
    }

    /// Adds the newest frame, and drops the oldest frames that exceed the limits. A frame with a different pixel format
    /// clears the buffer first.
    package mutating func add(_ frame: CapturedFrame) {
        if let last = frames.last, last.pixel != frame.pixel { drop(frames.count) }
        frames.append(frame)
        byteCount += frame.memory.count
        if frame.pixel == .h264 { dropGroups(before: frame) } else { dropFrames(before: frame) }
    }

    private mutating func dropFrames(before newest: CapturedFrame) {
        var leftOut = 0
        var bytes = byteCount
        while leftOut + 1 < frames.count,
            newest.capturedAt - frames[leftOut].capturedAt > length || bytes > byteLimit
        {
            bytes -= frames[leftOut].memory.count
            leftOut += 1
        }
        drop(leftOut)
    }

    private mutating func dropGroups(before newest: CapturedFrame) {
        let limit = newest.capturedAt - length
        drop(frames.lastIndex { $0.isKey && $0.capturedAt <= limit } ?? 0)
        // Frames before the first key frame cannot be decoded.
        drop(frames.firstIndex(where: \.isKey) ?? frames.count)
        while byteCount > byteLimit {
            drop(frames.dropFirst().firstIndex(where: \.isKey) ?? frames.count)
        }
    }

    private mutating func drop(_ count: Int) {
        for frame in frames.prefix(count) { byteCount -= frame.memory.count }
        frames.removeFirst(count)
    }
}
