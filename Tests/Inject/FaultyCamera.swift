import MulticamMedia

/// A camera that fails to start, or delivers wrong events once or permanently.
final class FaultyCamera: DetailedCameraSource {
    static let events =
        ["nothing", "twice", "late", "swapped", "otherSize", "sizeZero", "sizeHuge", "otherPixel", "notKey"]
        + InvalidValues.damages + InvalidValues.times + InvalidValues.counts
        + InvalidValues.numbers.map { "lost-\($0)" }
        + [
            "away", "awayBack", "returned", "ended", "endedOn", "formatChanged", "formatRefused", "corrected",
            "babble",
        ]

    private struct State {
        var hasBegun = false
        /// Delayed events, and the number of further events after which each is delivered.
        var delayedEvents: [CameraEvent] = []
        var releasedIn = 0
    }

    private let camera: any CameraSource
    private let role: String
    private let plan: FaultPlan
    private let onRecordingStart: @Sendable (ClockTime) -> Void
    private let state = ConditionLock(State())

    /// Creates a faulty camera. `whenBegun` is called with the start time of the recording.
    init(
        _ camera: any CameraSource, role: String, plan: FaultPlan,
        whenBegun: @escaping @Sendable (ClockTime) -> Void = { _ in }
    ) {
        self.camera = camera
        self.role = role
        self.plan = plan
        self.onRecordingStart = whenBegun
    }

    var device: CaptureDevice { camera.device }
    var format: VideoFormat { camera.format }
    var color: ColorDescription { camera.color }
    var deliveryDelay: Nanoseconds { camera.deliveryDelay }
    var simulationTime: Nanoseconds { camera.simulationTime }
    var canChangeFormat: Bool { camera.canChangeFormat }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        if let kind = plan.next("camera.\(role).start") { throw DeviceError(camera.device, kind) }
        try camera.start(on: clock) { [self] event in
            for event in replacements(for: event) { receive(event) }
        }
    }

    func setRecordingStart(_ start: ClockTime) {
        state.withLock { $0.hasBegun = true }
        camera.setRecordingStart(start)
        onRecordingStart(start)
    }

    func changeFormat(to format: VideoFormat?) { camera.changeFormat(to: format) }
    func stop() { camera.stop() }

    /// Returns the events that are delivered instead of the given one.
    private func replacements(for event: CameraEvent) -> [CameraEvent] {
        let hasBegun = state.withLock { $0.hasBegun }
        let kind = plan.next("camera.\(role).\(hasBegun ? "event" : "warm-up")")
        return state.withLock { state in
            if kind == "late" || kind == "swapped" { state.releasedIn = kind == "late" ? 8 : 1 }
            guard state.releasedIn > 0 || !state.delayedEvents.isEmpty else {
                return kind.map { changed(event, $0) } ?? [event]
            }
            defer { state.releasedIn -= 1 }
            guard state.releasedIn == 0 else {
                state.delayedEvents.append(event)
                return []
            }
            defer { state.delayedEvents = [] }
            return kind == nil && state.delayedEvents.count == 1
                ? [event] + state.delayedEvents : state.delayedEvents + [event]
        }
    }

    private func changed(_ event: CameraEvent, _ kind: String) -> [CameraEvent] {
        guard case .frame(let frame) = event else { return kind == "nothing" ? [] : [event] }
        let time = frame.capturedAt
        let other = VideoFormat(
            pixel: format.pixel, size: FrameSize(width: 32, height: 32), rate: format.rate)
        switch kind {
        case "nothing": return []
        case "twice": return [event, event]
        case "away": return [.outageBegan(at: time, cause: "the cable was pulled")]
        case "awayBack":
            return [.outageBegan(at: time, cause: "the cable was pulled"), .outageEnded(at: time), event]
        case "returned": return [.outageEnded(at: time), event]
        case "ended": return [.ended(at: time, cause: "the file is at its end")]
        case "endedOn": return [.ended(at: time, cause: "the file is at its end"), event]
        case "formatChanged": return [.formatChanged(other), event]
        case "formatRefused": return [.formatRefused(other, at: time, cause: "not now"), event]
        case "corrected": return [.timestampCorrected(at: time), event]
        case "babble":
            return [
                .outageBegan(at: time, cause: String(repeating: "\u{1B}[2J\n", count: 10_000)),
                .outageEnded(at: time),
                event,
            ]
        case let kind where kind.hasPrefix("lost-"):
            let count = Int(InvalidValues.number(String(kind.dropFirst(5))))
            return [.lost(count: count, cause: .bus, capturedAt: time), event]
        default: return [.frame(frame.changed(kind, seed: plan.seed))]
        }
    }
}

extension CapturedFrame {
    /// Returns the frame with a defect.
    func changed(_ kind: String, seed: UInt64) -> CapturedFrame {
        let size =
            switch kind {
            case "sizeZero": FrameSize(width: 0, height: 0)
            case "sizeHuge": FrameSize(width: 1 << 31, height: 1 << 31)
            case "otherSize": FrameSize(width: size.width * 2, height: size.height * 2)
            default: size
            }
        let memory =
            InvalidValues.damages.contains(kind) ? InvalidValues.damaged(kind, memory, seed: seed) : memory
        return CapturedFrame(
            pixel: kind == "otherPixel" ? (pixel == .mjpeg ? .nv12 : .mjpeg) : pixel, size: size,
            color: color, capturedAt: InvalidValues.time(kind, capturedAt),
            sequence: InvalidValues.count(kind, sequence), isKey: kind == "notKey" ? false : isKey,
            memory: memory, planes: planes, isOwned: true)
    }
}

extension DeviceError {
    static let kinds = [
        "notFound", "busy", "noPermission", "disconnected", "noSignal", "noBandwidth", "silent", "system",
        "other",
    ]

    /// Creates an error for each reason why a device may fail to start.
    init(_ device: CaptureDevice, _ kind: String) {
        let reason: Reason =
            switch kind {
            case "notFound": .notFound
            case "busy": .busy(by: nil)
            case "noPermission": .noPermission(nil)
            case "disconnected": .disconnected
            case "noSignal": .noSignal
            case "noBandwidth": .noBandwidth(BandwidthShortage(controller: nil))
            case "silent": .silent(seconds: 10)
            case "system": .system(errno: 5)
            default: .other("it will not. Ask it nicely.")
            }
        self.init(device: device.node, operation: "starting", reason: reason)
    }
}
