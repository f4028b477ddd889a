import Media
import Session

/// Asks something of a session at each look of its own at the computer: once a second, on the session's clock, so that a simulated
/// recording is steered at the same instants again.
final class SteeringHost: HostReading {
    /// The session holds its host.
    private struct Followed {
        weak var session: MulticamSession?
    }

    private let followed = ConditionLock(Followed())
    private let looks = ConditionLock(0)
    private let steer: @Sendable (MulticamSession, Int) -> Void
    private let disk: DiskSpace?
    private let state: @Sendable (Int) -> HostState

    /// - Parameters:
    ///   - disk: The room on the disk, at each look.
    ///   - state: What the computer says besides, by the number of the look.
    ///   - steer: Given the session and the number of the look, from 0 on.
    init(
        disk: DiskSpace? = nil, state: @escaping @Sendable (Int) -> HostState = { _ in HostState() },
        _ steer: @escaping @Sendable (MulticamSession, Int) -> Void
    ) {
        self.disk = disk
        self.state = state
        self.steer = steer
    }

    func follow(_ session: MulticamSession) { followed.withLock { $0.session = session } }

    func read(folder: String, at time: ClockTime) -> HostState {
        var state = HostState()
        if let session = followed.withLock({ $0.session }) {
            let number = looks.withLock { looks in
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
