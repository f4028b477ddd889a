internal import CMulticamLinux
internal import Glibc
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamSession
internal import MulticamTiming

/// Samples the state of a run once per second. The sampler acts as the host that the session queries for
/// system pressure, so it runs on the session's thread and clock and also works in simulated time.
final class StressSampler: HostReading {
    /// A weak reference to the session, because the session retains its host.
    private struct WeakSession {
        weak var session: MulticamSession?
    }

    private let host: (any HostReading)?
    private let cameras: [String: ObservedCamera]
    private let microphones: [any MicrophoneSource]
    private let isRealTime: Bool
    private let observedSession = ConditionLock(WeakSession())
    private let collected = ConditionLock(StressCourse())

    /// Prepares to sample a run.
    ///
    /// - Parameters:
    ///   - host: The computer to monitor; `nil` to disable monitoring.
    ///   - cameras: The cameras of the run, by role.
    ///   - microphones: The microphones of the run.
    ///   - isRealTime: Whether the run uses real time, so that CPU time is meaningful.
    init(
        _ host: (any HostReading)?, cameras: [String: ObservedCamera],
        microphones: [any MicrophoneSource], isRealTime: Bool
    ) {
        self.host = host
        self.cameras = cameras
        self.microphones = microphones
        self.isRealTime = isRealTime
    }

    /// Sets the session whose status is sampled.
    func attach(_ session: MulticamSession) { observedSession.withLock { $0.session = session } }

    var course: StressCourse { collected.withLock { $0 } }

    func read(folder: String, at time: ClockTime) -> HostState {
        let state = host?.read(folder: folder, at: time) ?? HostState()
        guard let start = cameras.values.compactMap(\.recordingStart).first else { return state }
        let status = observedSession.withLock { $0.session }?.status ?? SessionStatus()
        let used = isRealTime ? Self.processorTime() : nil
        let synthetic =
            cameras.values.map(\.simulationTime).reduce(.zero, +)
            + microphones.map(\.simulationTime).reduce(.zero, +)
        let sample = StressSample(
            time: MediaTime(time, since: start),
            cameras: Dictionary(
                uniqueKeysWithValues: cameras.map { role, camera in
                    var counts = camera.counts
                    counts.totalLost = status.cameras.first { $0.role == role }?.lost ?? 0
                    return (role, counts)
                }),
            pressure: status.pressure?.level, temperature: state.zones.map(\.temperature).max(),
            processorTime: used.map { $0 - synthetic }, syntheticTime: isRealTime ? synthetic : nil,
            disk: state.disk,
            unlocked: status.cameras.filter { !$0.clock.isLocked }.map(\.role))
        collected.withLock { $0.add(sample) }
        return state
    }

    /// Returns the CPU time of all threads of this process; `nil` if the system doesn't report it.
    private static func processorTime() -> Nanoseconds? {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        let seconds = Int64(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        let microseconds = Int64(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        return .seconds(seconds) + .microseconds(microseconds)
    }
}

/// Counts the frames that a camera delivers, before they reach the session. The counting is done on the
/// camera's own thread.
final class ObservedCamera: DetailedCameraSource {
    private struct State {
        var counts = StressSample.Camera()
        var start: ClockTime?
        var latest: (time: ClockTime, sequence: Int64)?
        /// Frame interval in the current format.
        var interval: Nanoseconds

        mutating func record(_ event: CameraEvent) {
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
            case .outageBegan:
                counts.disconnections += 1
                latest = nil
            case .outageEnded:
                latest = nil
            case .ended: counts.disconnections += 1
            case .formatChanged(let format): interval = format.rate.interval
            case .preroll, .timestampCorrected, .headerClockMissing, .formatRefused, .controls, .notice: break
            }
        }
    }

    private let source: any CameraSource
    private let state: ConditionLock<State>

    init(_ source: any CameraSource) {
        self.source = source
        state = ConditionLock(State(interval: source.format.rate.interval))
    }

    func readControls() throws(DeviceError) -> [DeviceControl] { try source.readControls() }

    func setControls(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        try source.setControls(requests)
    }

    /// The counters since the camera started. Losses are counted from T0.
    var counts: StressSample.Camera { state.withLock { $0.counts } }

    /// T0 on the session clock; `nil` until it is known.
    var recordingStart: ClockTime? { state.withLock { $0.start } }

    var device: CaptureDevice { source.device }
    var format: VideoFormat { source.format }
    var color: ColorDescription { source.color }
    var deliveryDelay: Nanoseconds { source.deliveryDelay }
    var simulationTime: Nanoseconds { source.simulationTime }
    var canChangeFormat: Bool { source.canChangeFormat }

    func changeFormat(to format: VideoFormat?) { source.changeFormat(to: format) }

    func requestHeaderClock() { source.requestHeaderClock() }

    func setDeliveryLeeway(_ leeway: Nanoseconds) { source.setDeliveryLeeway(leeway) }

    func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        try source.start(on: clock) { [state] event in
            state.withLock { $0.record(event) }
            receive(event)
        }
    }

    func setRecordingStart(_ start: ClockTime) {
        state.withLock { $0.start = start }
        source.setRecordingStart(start)
    }

    func stop() { source.stop() }
}
