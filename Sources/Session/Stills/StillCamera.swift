public import Media
public import Plan

/// Takes stills of one camera of a session while it records, or only runs, without disturbing it.
///
/// Give its `tap` to the session; then `take` gives the next whole picture, and with it, where a clip is wanted, the camera's own
/// JPEGs around it out of a bounded ring.
public final class StillCamera: Sendable {
    fileprivate struct State {
        var ring: PictureRing?
        /// Of pictures that came since somebody began to wait.
        var taken: CapturedPicture?
        /// When the last picture was captured.
        var latest: ClockTime?
        var waiting = 0
        /// Of stills from now on.
        var rotation: Rotation
        /// Where pictures depend on each other, those from the last key picture on.
        var stream: [CapturedPicture] = []
        var streamBytes = 0
        /// The same as `taken` came, with that.
        var takenStream: [CapturedPicture] = []
    }

    public let role: String
    /// Gets every picture as it was captured.
    public let tap: PictureTap
    private let planned: PlannedCamera
    private let source: any CameraSource
    private let clock: any SessionClock
    private let live: Nanoseconds
    private let state: Monitor<State>

    /// So much memory at most for the pictures of a clip: 1.5 s of a 4K camera at 30 pictures a second need 90 MB.
    private static let ringBytes = 128 << 20
    /// Likewise for what a picture of a stream depends on: ten seconds between two key pictures at 50 Mbit/s.
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
        let state = Monitor(
            State(
                // A second more than a clip: on a busy machine whoever takes it comes late.
                ring: live > .zero
                    ? PictureRing(length: live + .seconds(1), byteLimit: Self.ringBytes) : nil,
                rotation: planned.rotation))
        self.state = state
        self.planned = planned
        self.source = source
        self.clock = clock
        self.live = live
        role = planned.role
        // The handler only takes note, so it is never behind by much. Raw pictures may be the driver's memory, of which it needs
        // most back at once.
        let capacity = planned.format.pixel.isCompressed ? 8 : 2
        tap = PictureTap(role: planned.role, format: .asCaptured, capacity: capacity) { picture in
            Self.note(picture, in: state)
        }
        rest(true)
    }

    /// Without a clip to be kept, nobody looks at pictures while no still is wanted; but a picture of a stream needs those before it.
    private func rest(_ isResting: Bool) {
        if live == .zero, planned.format.pixel != .h264 { tap.pause(isResting) }
    }

    /// Whether stills come with the clip around them.
    public var makesClips: Bool { live > .zero }

    /// Stills are to be turned by so much to be upright from now on, as the camera was turned.
    public func turn(to rotation: Rotation) { state.withLock { $0.rotation = rotation } }

    /// For who has pictures from elsewhere than a tap: each whole one, in the order of capture. On any one thread.
    public func note(_ picture: CapturedPicture) { Self.note(picture, in: state) }

    private static func note(_ picture: CapturedPicture, in state: Monitor<State>) {
        let isWanted = state.broadcast { state in
            state.latest = picture.capturedAt
            // Raw pictures may be the driver's memory, which nobody may keep for long.
            if picture.pixel == .mjpeg { state.ring?.add(picture) }
            if picture.pixel == .h264 { state.continueStream(with: picture) }
            let isWanted = state.waiting > 0 && state.taken == nil
            if isWanted { state.takenStream = state.stream }
            return isWanted
        }
        guard isWanted else { return }
        let owned = picture.ownedCopy()
        state.broadcast { state in
            if state.taken == nil { state.taken = owned }
        }
    }

    /// The next whole picture, and the clip around it where this camera makes clips: half of it is still to come then, and is
    /// waited for. Blocks its thread; not in a Swift task, nor from several threads at once.
    ///
    /// - Parameters:
    ///   - machinery: Decodes a picture of a stream.
    ///   - patience: How long a picture is waited for.
    /// - Returns: It, with what is known of its moment.
    /// - Throws: When none comes, or it cannot be decoded.
    public func take(
        with machinery: any MediaMachinery, within patience: Nanoseconds = .seconds(2)
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
        guard var picture = state.wait(until: MonotonicClock().now + patience, { $0.taken }) else {
            throw .noPicture(role: role, seconds: patience.inSeconds)
        }
        if picture.pixel == .h264 { picture = try decoded(with: machinery, within: patience) }
        return Still(
            role: role, picture: picture, facts: facts(of: picture), clip: clip(around: picture, patience),
            rate: source.format.rate)
    }

    /// The picture of a stream that was taken, decoded by itself from its key picture on: what records the stream is not disturbed.
    private func decoded(
        with machinery: any MediaMachinery, within patience: Nanoseconds
    ) throws(StillError) -> CapturedPicture {
        let stream = state.withLock { state in
            defer { state.takenStream = [] }
            return state.takenStream
        }
        do throws(EncodingError) {
            let decoder = try machinery.makePictureDecoder(name: role)
            var latest: CapturedPicture?
            for picture in stream { latest = try decoder.decode(picture).ready.last ?? latest }
            if let latest { return latest }
        } catch {
            throw .encoding(error)
        }
        throw .noPicture(role: role, seconds: patience.inSeconds)
    }

    /// A clip without its end, as of a camera that was unplugged, is as long as there are pictures.
    private func clip(around picture: CapturedPicture, _ patience: Nanoseconds) -> [CapturedPicture] {
        guard live > .zero else { return [] }
        let half = live / 2
        let end = picture.capturedAt + half
        _ = state.wait(until: MonotonicClock().now + half + patience) { state in
            state.latest.flatMap { $0 >= end ? true : nil }
        }
        let all = state.withLock { $0.ring?.pictures ?? [] }
        return all.filter { $0.capturedAt >= picture.capturedAt - half && $0.capturedAt <= end }
    }

    private func facts(of picture: CapturedPicture) -> StillFacts {
        var controls: [DeviceControl] = []
        do throws(DeviceError) {
            controls = try source.controls()
        } catch {
            // It was unplugged since: the picture is there, and what its controls said is not known.
        }
        return StillFacts(
            date: clock.date(of: picture.capturedAt - planned.latency), device: source.device,
            rotation: state.withLock { $0.rotation }, isMirrored: planned.isMirrored, controls: controls)
    }
}

extension StillCamera.State {
    /// Keeps what later pictures need; without its key picture nothing of it is of use.
    fileprivate mutating func continueStream(with picture: CapturedPicture) {
        if picture.isKey {
            stream.removeAll()
            streamBytes = 0
        } else if stream.isEmpty {
            return
        }
        stream.append(picture)
        streamBytes += picture.memory.bytes.count
        if streamBytes > StillCamera.streamBytes {
            stream.removeAll()
            streamBytes = 0
        }
    }
}
