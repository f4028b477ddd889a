import MulticamMedia
import MulticamSession

/// Controls a session at each reading of the computer. A reading takes place once per second on the session's
/// clock, so that simulated recordings are controlled at identical times.
final class ControllerHost: HostReading {
    /// A weak reference, because the session retains its host.
    private struct AttachedSession {
        weak var session: MulticamSession?
    }

    private let attached = ConditionLock(AttachedSession())
    private let readings = ConditionLock(0)
    private let steer: @Sendable (MulticamSession, Int) -> Void
    private let disk: DiskSpace?
    private let state: @Sendable (Int) -> HostState

    /// - Parameters:
    ///   - disk: Disk space at each reading.
    ///   - state: Other readings of the computer, by reading number.
    ///   - steer: Called with the session and the reading number, starting at 0.
    init(
        disk: DiskSpace? = nil, state: @escaping @Sendable (Int) -> HostState = { _ in HostState() },
        _ steer: @escaping @Sendable (MulticamSession, Int) -> Void
    ) {
        self.disk = disk
        self.state = state
        self.steer = steer
    }

    func attach(_ session: MulticamSession) { attached.withLock { $0.session = session } }

    func read(folder: String, at time: ClockTime) -> HostState {
        var state = HostState()
        if let session = attached.withLock({ $0.session }) {
            let number = readings.withLock { looks in
                defer { looks += 1 }
                return looks
            }
            steer(session, number)
            state = self.state(number)
        }
        state.disk = disk
        return state
    }
}
