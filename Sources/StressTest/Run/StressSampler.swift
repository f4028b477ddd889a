internal import CLinux
internal import Glibc
internal import Inputs
internal import Media
internal import Monitoring
internal import Session
internal import Timing

/// Samples a run once a second, as the host that the session asks for system pressure: on the session's thread and clock, so that
/// it works in simulated time too.
final class StressSampler: HostReading {
    /// Holds the session weakly, because the session holds its host.
    private struct Followed {
        weak var session: MulticamSession?
    }

    private let host: (any HostReading)?
    private let cameras: [String: ObservedCamera]
    private let microphones: [any MicrophoneSource]
    private let isRealTime: Bool
    private let followed = ConditionLock(Followed())
    private let collected = ConditionLock(StressCourse())

    /// Prepares the sampling of a run.
    ///
    /// - Parameters:
    ///   - host: The computer to read; `nil` for none.
    ///   - cameras: The cameras of the run, by role.
    ///   - microphones: The microphones of the run.
    ///   - isRealTime: Whether processor time is meaningful.
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
    func follow(_ session: MulticamSession) { followed.withLock { $0.session = session } }

    var course: StressCourse { collected.withLock { $0 } }

    func read(folder: String, at time: ClockTime) -> HostState {
        let state = host?.read(folder: folder, at: time) ?? HostState()
        guard let start = cameras.values.compactMap(\.recordingStart).first else { return state }
        let status = followed.withLock { $0.session }?.status ?? SessionStatus()
        let used = isRealTime ? Self.processorTime() : nil
        let synthetic =
            cameras.values.map(\.simulationTime).reduce(.zero, +)
            + microphones.map(\.simulationTime).reduce(.zero, +)
        let sample = StressSample(
            time: MediaTime(time, since: start),
            cameras: Dictionary(
                uniqueKeysWithValues: cameras.map { role, camera in
                    var counts = camera.counts
                    counts.lostInAll = status.cameras.first { $0.role == role }?.lost ?? 0
                    return (role, counts)
                }),
            pressure: status.pressure?.level, temperature: state.zones.map(\.temperature).max(),
            processorTime: used.map { $0 - synthetic }, syntheticTime: isRealTime ? synthetic : nil,
            disk: state.disk,
            unlocked: status.cameras.filter { !$0.clock.isLocked }.map(\.role))
        collected.withLock { $0.add(sample) }
        return state
    }

    /// The processor time of all threads of this process; `nil` when the system does not say.
    private static func processorTime() -> Nanoseconds? {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        let seconds = Int64(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        let microseconds = Int64(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        return .seconds(seconds) + .microseconds(microseconds)
    }
}
