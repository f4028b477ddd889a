package import Media

/// A camera whose frames another process sends. It goes and comes with that process's connection.
package final class RemoteCamera: CameraSource {
    private struct State {
        var receive: (@Sendable (CameraEvent) -> Void)?
        var isAway = false
        var last: Int64?
        var lastTime: ClockTime?
        var error = Nanoseconds.zero
    }

    package let device: CaptureDevice
    package let format: VideoFormat
    package let color: ColorDescription
    package let deliveryDelay: Nanoseconds
    private let state = ConditionLock(State())

    /// Most frames that one jump of the sender's count stands for; beyond, its count began anew.
    private static let longestJump: Int64 = 100_000

    init(name: String, format: VideoFormat, color: ColorDescription, delay: Nanoseconds) {
        device = RemoteDevices.device(
            name, .video,
            formats: [OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))])
        self.format = format
        self.color = color
        deliveryDelay = delay
    }

    /// The greatest error of the capture times that the sender has told.
    package var timeError: Nanoseconds { state.withLock { $0.error } }

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
        let (receive, missing, since) = state.withLock { state in
            state.error = max(state.error, error)
            let (jump, overflow) = state.last.map { sequence.subtractingReportingOverflow($0) } ?? (1, false)
            let isLoss = !overflow && (2...Self.longestJump).contains(jump)
            let missing = isLoss ? Int(jump - 1) : 0
            let since = state.lastTime
            (state.last, state.lastTime) = (sequence, time)
            return (state.receive, missing, since)
        }
        guard let receive else { return }
        if missing > 0 {
            receive(
                .lost(
                    count: missing, cause: .bus, capturedAt: min(time, (since ?? time) + format.rate.interval)
                ))
        }
        receive(.frame(frame))
    }

    /// Tells that the process has left, or was sent away.
    func leave(at time: ClockTime, cause: String = RemoteCamera.cause) {
        let receive = state.withLock { state in
            defer { state.isAway = true }
            return state.isAway ? nil : state.receive
        }
        receive?(.away(at: time, cause: cause, isRequested: false))
    }

    /// Tells that a process sends its frames again.
    func comeBack(at time: ClockTime) {
        let receive = state.withLock { state in
            defer {
                state.isAway = false
                state.last = nil
            }
            return state.isAway ? state.receive : nil
        }
        receive?(.returned(at: time, remark: nil))
    }
}
