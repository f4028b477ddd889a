internal import MulticamControl
package import MulticamMedia
internal import MulticamMediaLink

/// A camera whose frames are sent by another process. The camera counts as connected while that process is
/// connected.
package final class RemoteCamera: DetailedCameraSource {
    private struct State {
        var receive: (@Sendable (CameraEvent) -> Void)?
        /// Frames of an H.264 stream, starting with the last key frame, that haven't been delivered yet.
        /// Later frames depend on these frames.
        var early = EarlyFrames()
        /// Whether `start` is currently delivering `early`. Frames that arrive in the meantime are delivered
        /// afterwards.
        var isCatchingUp = false
        var isDisconnected = false
        var last: Int64?
        var lastTime: ClockTime?
        var error = Nanoseconds.zero
        var origin = TimeOrigin.mapped
        /// Whether the current outage ends with the next frame instead of the announcement that precedes the
        /// frame.
        var awaitsFrame = false
        /// Whether the camera is disconnected because its format was changed. If so, the network isn't the
        /// cause of the outage.
        var isChanged = false
        var controls: [DeviceControl] = []
        /// Requests that the sending process set controls. The number identifies the response to the request.
        /// The value is `nil` if no process is sending frames.
        var controlRequestHandler: (@Sendable (Int, [String: Int64]) -> Void)?
        var lastRequestNumber = 0
        /// Names of the controls that the sender refused to set, by the number of the request.
        var answers: [Int: Set<String>] = [:]
    }

    package let device: CaptureDevice
    package let format: VideoFormat
    package let color: ColorDescription
    package let deliveryDelay: Nanoseconds
    private let state = ConditionLock(State())

    /// Maximum number of lost frames that a jump in the sender's sequence may indicate. A larger jump means
    /// that the sequence was restarted.
    private static let longestJump: Int64 = 100_000
    /// Maximum time for the sender to set controls. A phone may have to switch to another lens.
    private static let controlTimeout = Nanoseconds.seconds(4)

    init(name: String, format: VideoFormat, color: ColorDescription, delay: Nanoseconds) {
        device = RemoteDevices.device(
            name, .video,
            formats: [OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))])
        self.format = format
        self.color = color
        deliveryDelay = delay
        isScreen = SourceAddress.isScreen(name)
        isRelayed = SourceAddress.isRelayed(name)
    }

    /// Maximum error of the capture times, as reported by the sender.
    package var timeError: Nanoseconds { state.withLock { $0.error } }

    package var timeOrigin: TimeOrigin? { state.withLock { $0.origin } }

    package var outageCause: LossCause {
        if state.withLock({ $0.isChanged }) { return .reconfigured }
        return isRelayed && !isScreen ? .network : .disconnected
    }

    /// Whether a multicam process receives the camera's frames and relays them to this process. An outage of
    /// a relayed camera lasts as long as frames are missing, whereas other outages last as long as the
    /// connection is closed.
    private let isRelayed: Bool
    /// Whether the camera is a screen capture.
    private let isScreen: Bool

    /// Cause of the loss of frames that are missing between two received frames. If the camera is a screen
    /// capture, the computer was too slow to capture and encode the missing frames.
    private var lossCause: LossCause { isScreen ? .encoder : isRelayed ? .network : .bus }

    /// Whether a process may resume this camera with a given format. The frame rate of a network camera isn't
    /// compared, because the rate is measured and differs each time.
    func accepts(_ other: VideoFormat, _ otherColor: ColorDescription) -> Bool {
        guard isRelayed else { return other == format && otherColor == color }
        return other.pixel == format.pixel && other.size == format.size && otherColor == color
    }

    /// Sets the origin of the frames' timestamps.
    func setTimeOrigin(_ origin: TimeOrigin) { state.withLock { $0.origin = origin } }

    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        let isDisconnected = state.withLock { state in
            state.receive = receive
            state.last = nil
            state.isCatchingUp = true
            return state.isDisconnected
        }
        if isDisconnected { receive(.outageBegan(at: clock.now, cause: Self.cause, isRequested: false)) }
        while let frames = nextEarlyFrames() {
            for frame in frames { receive(.preroll(frame)) }
        }
    }

    /// Dequeues the frames that must be delivered before newly arriving frames; returns `nil` if no such
    /// frames are left.
    private func nextEarlyFrames() -> [CapturedFrame]? {
        state.withLock { state in
            let frames = state.early.dequeueAll()
            guard frames.isEmpty else {
                state.last = frames.last?.sequence
                return frames
            }
            state.isCatchingUp = false
            return nil
        }
    }

    /// Whether a session is using the camera.
    var isInUse: Bool { state.withLock { $0.receive != nil } }

    package func stop() {
        state.withLock { state in
            (state.receive, state.isCatchingUp) = (nil, false)
            state.early.removeAll()
        }
    }

    private static let cause = "the sending process disconnected"
    private static let ended = "the source process ended"

    /// Receives a frame from the process.
    ///
    /// - Parameters:
    ///   - bytes: A complete JPEG, an H.264 access unit, or all planes of a raw frame without padding.
    ///   - time: Start of the exposure on CLOCK_MONOTONIC.
    ///   - error: Maximum error of `time`.
    ///   - sequence: The sender's frame number. Missing numbers count as lost frames.
    ///   - isKey: Whether the frame can be decoded without other frames.
    /// - Throws: `MediaLinkError` if the bytes can't be a frame of the announced format.
    func receiveFrame(
        _ bytes: SharedBytes, at time: ClockTime, error: Nanoseconds, sequence: Int64, isKey: Bool
    ) throws(MediaLinkError) {
        let (planes, byteCount) = FramePlane.packed(format.pixel, format.size)
        guard format.pixel.isCompressed ? bytes.count > 0 : bytes.count == byteCount else {
            throw MediaLinkError(
                "invalid \(format.pixel.rawValue) frame of \(bytes.count) bytes for the size \(format.size)"
                    + (format.pixel.isCompressed ? "." : ": expected \(byteCount) bytes."))
        }
        let frame = CapturedFrame(
            pixel: format.pixel, size: format.size, color: color, capturedAt: time, sequence: sequence,
            isKey: format.pixel != .h264 || isKey, memory: bytes, planes: planes, isOwned: true)
        let (receive, missing, since, returns) = state.withLock { state in
            state.error = max(state.error, error)
            if format.pixel == .h264, state.receive == nil || state.isCatchingUp {
                if state.isCatchingUp { state.early.enqueue(frame) } else { state.early.append(frame) }
                state.lastTime = time
                if state.receive == nil { state.awaitsFrame = false }
                return (nil as (@Sendable (CameraEvent) -> Void)?, 0, nil as ClockTime?, false)
            }
            let (jump, overflow) = state.last.map { sequence.subtractingReportingOverflow($0) } ?? (1, false)
            let isLoss = !overflow && (2...Self.longestJump).contains(jump)
            let missing = isLoss ? Int(jump - 1) : 0
            let since = state.lastTime
            (state.last, state.lastTime) = (sequence, time)
            let returns = state.awaitsFrame
            state.awaitsFrame = false
            return (state.receive, missing, since, returns)
        }
        guard let receive else { return }
        if returns { receive(.outageEnded(at: time, remark: nil)) }
        if missing > 0 {
            receive(
                .lost(
                    count: missing, cause: lossCause,
                    capturedAt: min(time, (since ?? time) + format.rate.interval)
                ))
        }
        receive(.frame(frame))
    }

    // MARK: Controls

    /// Sets the function that requests controls from the sender.
    func setControlRequestHandler(_ handler: @escaping @Sendable (Int, [String: Int64]) -> Void) {
        state.withLock { ($0.controlRequestHandler, $0.controls, $0.answers) = (handler, [], [:]) }
    }

    /// Updates the camera's controls from a report by the sender.
    func receiveControls(_ controls: [DeviceControl], answering number: Int?, refused: Set<String>) {
        state.broadcast { state in
            state.controls = controls
            // Responses to requests that have timed out are ignored.
            if let number, number == state.lastRequestNumber { state.answers = [number: refused] }
        }
    }

    package func readControls() throws(DeviceError) -> [DeviceControl] { state.withLock { $0.controls } }

    package func setControls(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        let known = state.withLock { $0.controls }
        var (faults, wanted) = ([String: ControlFault](), [String: Int64]())
        for request in requests {
            guard let control = known.first(where: { $0.name == request.name }) else {
                faults[request.name] = .unknownControl(request.name, names: known.map(\.name))
                continue
            }
            do throws(ControlFault) {
                try control.check(request.value)
                wanted[request.name] = request.value
            } catch {
                faults[request.name] = error
            }
        }
        let refused = wanted.isEmpty ? [] : try requestControls(wanted)
        let now = state.withLock { $0.controls }
        return requests.map { request in
            ControlOutcome(
                request: request, value: now.first { $0.name == request.name }?.value,
                fault: faults[request.name]
                    ?? (refused.contains(request.name) ? .refused(request.value) : nil))
        }
    }

    /// Requests that the sender set controls, and waits for the sender's response.
    ///
    /// - Returns: Names of the controls that the sender refused to set.
    private func requestControls(_ wanted: [String: Int64]) throws(DeviceError) -> Set<String> {
        let (ask, number) = state.withLock { state in
            state.lastRequestNumber += 1
            return (state.controlRequestHandler, state.lastRequestNumber)
        }
        guard let ask else {
            throw DeviceError(
                device: device.name, operation: "setting the controls",
                reason: .other("the camera is disconnected. Try again after the camera has been reconnected.")
            )
        }
        ask(number, wanted)
        let deadline = MonotonicClock().now + Self.controlTimeout
        guard let refused = state.wait(until: deadline, { $0.answers.removeValue(forKey: number) }) else {
            throw DeviceError(
                device: device.name, operation: "setting the controls",
                reason: .other("the process that sends the camera's frames did not respond."))
        }
        return refused
    }

    // MARK: Disconnection and reconnection

    /// Reports a remark about the camera to the session.
    func reportRemark(_ text: String, at time: ClockTime) {
        state.withLock { $0.receive }?(.notice(at: time, text))
    }

    /// Reports that the process has disconnected or that its data was rejected.
    func disconnect(at time: ClockTime, cause: String? = nil) {
        let (receive, last) = state.withLock { state in
            defer {
                (state.isDisconnected, state.awaitsFrame) = (true, false)
                state.isChanged = cause?.hasPrefix("\(LossCause.reconfigured.rawValue):") ?? false
                state.controlRequestHandler = nil
            }
            return (state.isDisconnected && !state.awaitsFrame ? nil : state.receive, state.lastTime)
        }
        let since = isRelayed ? last.map { min($0 + format.rate.interval, time) } : nil
        receive?(
            .outageBegan(
                at: since ?? time,
                cause: cause
                    ?? (isRelayed ? "\(isScreen ? "screen" : "network"): \(Self.ended)" : Self.cause),
                isRequested: false))
    }

    /// Reports that a process is sending the camera's frames again.
    func reconnect(at time: ClockTime) {
        let receive = state.withLock { state in
            defer {
                // The buffered frames are dropped because the process may begin in the middle of another
                // stream.
                state.early.removeAll()
                state.awaitsFrame = state.isDisconnected && isRelayed
                state.isDisconnected = false
                state.last = nil
            }
            return state.isDisconnected && !isRelayed ? state.receive : nil
        }
        receive?(.outageEnded(at: time, remark: nil))
    }
}

/// A buffer of an H.264 stream's frames since the last key frame, limited in number and size.
struct EarlyFrames {
    private var frames: [CapturedFrame] = []
    private var byteCount = 0
    /// Whether frames are dropped until the next key frame.
    private var isOverflowing = false
    private let limit: (frames: Int, bytes: Int)

    /// Creates an empty buffer.
    ///
    /// - Parameter limit: Maximum number of frames and bytes; the default is 30 s at 60 frames per second. A
    ///   group of pictures that exceeds the limit is dropped entirely, because the end of the group can't be
    ///   decoded without the beginning.
    init(limit: (frames: Int, bytes: Int) = (1800, 64 << 20)) { self.limit = limit }

    /// Adds a frame to the buffer. Frames that aren't preceded by a key frame are dropped.
    mutating func append(_ frame: CapturedFrame) {
        if frame.isKey {
            removeAll()
        } else if frames.isEmpty {
            return
        }
        frames.append(frame)
        byteCount += frame.memory.count
        if frames.count > limit.frames || byteCount > limit.bytes { (frames, byteCount) = ([], 0) }
    }

    /// Adds a frame that follows the frames that were dequeued before. If a limit is exceeded, frames are
    /// dropped until the next key frame.
    mutating func enqueue(_ frame: CapturedFrame) {
        if isOverflowing, !frame.isKey { return }
        isOverflowing = frames.count >= limit.frames || byteCount + frame.memory.count > limit.bytes
        guard !isOverflowing else { return }
        frames.append(frame)
        byteCount += frame.memory.count
    }

    /// Removes all frames and clears the overflow state. Call this method when the next frames belong to a
    /// different stream or group of pictures.
    mutating func removeAll() { self = EarlyFrames(limit: limit) }

    /// Removes all frames and returns them, in order.
    mutating func dequeueAll() -> [CapturedFrame] {
        defer { (frames, byteCount) = ([], 0) }
        return frames
    }
}

extension DeviceControl {
    /// Maximum number of controls per camera, and maximum number of items per menu, that are accepted from
    /// another process.
    private static let most = (controls: 32, items: 64)

    /// Validates controls reported by another process, which are untrusted input. Invalid controls are omitted.
    static func controls(reported: [ControlsReport.Control]) -> [DeviceControl] {
        var names: Set<String> = []
        return reported.prefix(most.controls).compactMap { DeviceControl($0) }.filter {
            names.insert($0.name).inserted
        }
    }

    private init?(_ reported: ControlsReport.Control) {
        let isName = reported.name.utf8.allSatisfy { byte in
            (97...122).contains(byte) || (48...57).contains(byte) || byte == 95
        }
        guard (1...40).contains(reported.name.utf8.count), isName, let kind = Kind(rawValue: reported.kind),
            reported.minimum <= reported.maximum, reported.menu.count <= Self.most.items,
            reported.menu.isEmpty || kind == .menu || kind == .integerMenu
        else { return nil }
        var menu: [Int64: String] = [:]
        for (number, text) in reported.menu {
            if let number = Int64(number) { menu[number] = text.printable(limit: 100) }
        }
        guard !menu.isEmpty || (kind != .menu && kind != .integerMenu) else { return nil }
        self.init(
            name: reported.name, kind: kind, value: reported.value, minimum: reported.minimum,
            maximum: reported.maximum,
            step: max(reported.step, 1), defaultValue: reported.default, menu: menu,
            isReadOnly: reported.read_only,
            isInactive: reported.inactive, isVolatile: reported.volatile)
    }
}
