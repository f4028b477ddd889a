internal import Media

/// Counts a camera's deliveries on their way to the session, on the camera's own thread.
final class ObservedCamera: CameraSource {
    private struct State {
        var counts = StressSample.Camera()
        var start: ClockTime?
        var latest: (time: ClockTime, sequence: Int64)?
        /// The time between two frames in the present format.
        var interval: Nanoseconds

        mutating func note(_ event: CameraEvent) {
            switch event {
            case .frame(let frame):
                counts.frames += 1
                counts.bytes += Int64(frame.memory.count)
                if let latest {
                    let slots = max(frame.sequence - latest.sequence, 1)
                    counts.jitter =
                        counts.jitter + (frame.capturedAt - latest.time - interval * slots).magnitude
                    counts.intervals += 1
                }
                latest = (frame.capturedAt, frame.sequence)
            case .lost(let count, let cause, let time):
                guard let start, time >= start else { return }
                counts.lost[cause, default: 0] += count
            case .away:
                counts.absences += 1
                latest = nil
            case .returned:
                latest = nil
            case .ended: counts.absences += 1
            case .formatChanged(let format): interval = format.rate.interval
            case .corrected, .withoutHeaderClock, .formatRefused, .controls, .remarked: break
            }
        }
    }

    private let source: any CameraSource
    private let state: ConditionLock<State>

    init(_ source: any CameraSource) {
        self.source = source
        state = ConditionLock(State(interval: source.format.rate.interval))
    }

    func controls() throws(DeviceError) -> [DeviceControl] { try source.controls() }

    func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        try source.set(requests)
    }

    /// The counters since the camera started; losses count since T0.
    var counts: StressSample.Camera { state.withLock { $0.counts } }

    /// T0 on the session clock; `nil` before it is known.
    var recordingStart: ClockTime? { state.withLock { $0.start } }

    var device: CaptureDevice { source.device }
    var format: VideoFormat { source.format }
    var color: ColorDescription { source.color }
    var deliveryDelay: Nanoseconds { source.deliveryDelay }
    var simulationTime: Nanoseconds { source.simulationTime }
    var isChangeable: Bool { source.isChangeable }

    func change(to format: VideoFormat?) { source.change(to: format) }

    func deliverHeaderClock() { source.deliverHeaderClock() }

    func deliver(within leeway: Nanoseconds) { source.deliver(within: leeway) }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        try source.start(on: clock) { [state] event in
            state.withLock { $0.note(event) }
            receive(event)
        }
    }

    func recordingBegins(at start: ClockTime) {
        state.withLock { $0.start = start }
        source.recordingBegins(at: start)
    }

    func stop() { source.stop() }
}
