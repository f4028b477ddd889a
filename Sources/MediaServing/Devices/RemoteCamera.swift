package import Media
internal import MediaLink

/// A camera whose frames another process sends. It goes and comes with that process's connection.
package final class RemoteCamera: CameraSource {
    private struct State {
        var receive: (@Sendable (CameraEvent) -> Void)?
        var isAway = false
        var last: Int64?
        var lastTime: ClockTime?
        var error = Nanoseconds.zero
        var origin = TimeOrigin.mapped
        /// Whether the first frame that comes ends the outage, not the announcement before it.
        var awaitsFrame = false
        var controls: [DeviceControl] = []
        /// Tells the sender which controls are to be set, with a number for its answer; `nil` while there is no sender.
        var wish: (@Sendable (Int, [String: Int64]) -> Void)?
        var lastWish = 0
        /// Names of refused controls, by the wishes that were answered.
        var answers: [Int: Set<String>] = [:]
    }

    package let device: CaptureDevice
    package let format: VideoFormat
    package let color: ColorDescription
    package let deliveryDelay: Nanoseconds
    private let state = ConditionLock(State())

    /// Most frames that one jump of the sender's count stands for; beyond, its count began anew.
    private static let longestJump: Int64 = 100_000
    /// How long a sender may take to set controls: a phone opens another lens.
    private static let patience = Nanoseconds.seconds(4)

    init(name: String, format: VideoFormat, color: ColorDescription, delay: Nanoseconds) {
        device = RemoteDevices.device(
            name, .video,
            formats: [OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))])
        self.format = format
        self.color = color
        deliveryDelay = delay
        isScreen = SourceAddress.isScreen(name)
        isBroughtHere = SourceAddress.isBroughtHere(name)
    }

    /// The greatest error of the capture times that the sender has told.
    package var timeError: Nanoseconds { state.withLock { $0.error } }

    package var timeOrigin: TimeOrigin? { state.withLock { $0.origin } }

    package var outageCause: LossCause { isBroughtHere && !isScreen ? .network : .away }

    /// Whether a process of multicam brings it, so that an outage is as long as frames are missing, not as its connection.
    private let isBroughtHere: Bool
    /// Whether it is a screen.
    private let isScreen: Bool

    /// Why frames are missing between two: a screen's when the computer was too slow to capture and encode them.
    private var lossCause: LossCause { isScreen ? .encoder : isBroughtHere ? .network : .bus }

    /// Whether a process may go on with it in a format. The rate of a network camera is measured, and never the same.
    func takes(_ other: VideoFormat, _ otherColor: ColorDescription) -> Bool {
        guard isBroughtHere else { return other == format && otherColor == color }
        return other.pixel == format.pixel && other.size == format.size && otherColor == color
    }

    /// Sets who dates the frames from now on.
    func date(by origin: TimeOrigin) { state.withLock { $0.origin = origin } }

    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        let isAway = state.withLock { state in
            state.receive = receive
            state.last = nil
            return state.isAway
        }
        if isAway { receive(.away(at: clock.now, cause: Self.cause, isRequested: false)) }
    }

    /// Whether a session has it.
    var isInUse: Bool { state.withLock { $0.receive != nil } }

    package func stop() { state.withLock { $0.receive = nil } }

    private static let cause = "its process has left"
    private static let ended = "the process that brings it has ended"

    /// Takes a frame that the process sent.
    ///
    /// - Parameters:
    ///   - bytes: A whole JPEG, an H.264 access unit, or all planes of a raw frame, packed.
    ///   - time: When its exposure began, on CLOCK_MONOTONIC.
    ///   - error: How far off `time` may be.
    ///   - sequence: The sender's number of the frame; what is missing counts as lost.
    ///   - isKey: Whether it can be decoded alone.
    /// - Throws: `MediaLinkError` when the bytes cannot be a frame of the announced format.
    func take(
        _ bytes: SharedBytes, at time: ClockTime, error: Nanoseconds, sequence: Int64, isKey: Bool
    ) throws(MediaLinkError) {
        let (planes, byteCount) = FramePlane.packed(format.pixel, format.size)
        guard format.pixel.isCompressed ? bytes.count > 0 : bytes.count == byteCount else {
            throw MediaLinkError(
                "a frame of \(bytes.count) bytes is no \(format.pixel.rawValue) frame of \(format.size)"
                    + (format.pixel.isCompressed ? "." : ", which has \(byteCount)."))
        }
        let frame = CapturedFrame(
            pixel: format.pixel, size: format.size, color: color, capturedAt: time, sequence: sequence,
            isKey: format.pixel != .h264 || isKey, memory: bytes, planes: planes, isOwned: true)
        let (receive, missing, since, returns) = state.withLock { state in
            state.error = max(state.error, error)
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
        if returns { receive(.returned(at: time, remark: nil)) }
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

    /// Takes the sender's ear: who hears which controls are to be set.
    func listen(_ wish: @escaping @Sendable (Int, [String: Int64]) -> Void) {
        state.withLock { ($0.wish, $0.controls, $0.answers) = (wish, [], [:]) }
    }

    /// Takes what the sender tells of its controls.
    func take(_ controls: [DeviceControl], answering number: Int?, refused: Set<String>) {
        state.broadcast { state in
            state.controls = controls
            // A wish that nobody waits for any longer has no answer.
            if let number, number == state.lastWish { state.answers = [number: refused] }
        }
    }

    package func controls() throws(DeviceError) -> [DeviceControl] { state.withLock { $0.controls } }

    package func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        let known = state.withLock { $0.controls }
        var (faults, wanted) = ([String: ControlFault](), [String: Int64]())
        for request in requests {
            guard let control = known.first(where: { $0.name == request.name }) else {
                faults[request.name] = .unknown(request.name, names: known.map(\.name))
                continue
            }
            do throws(ControlFault) {
                try control.check(request.value)
                wanted[request.name] = request.value
            } catch {
                faults[request.name] = error
            }
        }
        let refused = wanted.isEmpty ? [] : try wish(wanted)
        let now = state.withLock { $0.controls }
        return requests.map { request in
            ControlOutcome(
                request: request, value: now.first { $0.name == request.name }?.value,
                fault: faults[request.name]
                    ?? (refused.contains(request.name) ? .refused(request.value) : nil))
        }
    }

    /// Has the sender set controls, and waits for its answer.
    ///
    /// - Returns: The names of those that are refused.
    private func wish(_ wanted: [String: Int64]) throws(DeviceError) -> Set<String> {
        let (ask, number) = state.withLock { state in
            state.lastWish += 1
            return (state.wish, state.lastWish)
        }
        guard let ask else {
            throw DeviceError(device: device.name, operation: "controls", reason: .disconnected)
        }
        ask(number, wanted)
        let deadline = MonotonicClock().now + Self.patience
        guard let refused = state.wait(until: deadline, { $0.answers.removeValue(forKey: number) }) else {
            throw DeviceError(
                device: device.name, operation: "controls", reason: .other("its sender does not answer."))
        }
        return refused
    }

    // MARK: Coming and going

    /// Tells what a person should know of it.
    func remark(_ text: String, at time: ClockTime) {
        state.withLock { $0.receive }?(.remarked(at: time, text))
    }

    /// Tells that the process has left, or was sent away.
    func leave(at time: ClockTime, cause: String? = nil) {
        let (receive, last) = state.withLock { state in
            defer {
                (state.isAway, state.awaitsFrame) = (true, false)
                state.wish = nil
            }
            return (state.isAway && !state.awaitsFrame ? nil : state.receive, state.lastTime)
        }
        let since = isBroughtHere ? last.map { min($0 + format.rate.interval, time) } : nil
        receive?(
            .away(
                at: since ?? time,
                cause: cause
                    ?? (isBroughtHere ? "\(isScreen ? "screen" : "network"): \(Self.ended)" : Self.cause),
                isRequested: false))
    }

    /// Tells that a process sends its frames again.
    func comeBack(at time: ClockTime) {
        let receive = state.withLock { state in
            defer {
                state.awaitsFrame = state.isAway && isBroughtHere
                state.isAway = false
                state.last = nil
            }
            return state.isAway && !isBroughtHere ? state.receive : nil
        }
        receive?(.returned(at: time, remark: nil))
    }
}
