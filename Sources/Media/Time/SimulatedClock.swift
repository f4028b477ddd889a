public import Foundation

/// Time that passes only when every thread of the session sleeps, and then at once.
///
/// Exactly one thread that this clock started runs at a time; when it sleeps, the one with the earliest deadline goes on
/// (of equal ones, the one started first), and time jumps to that deadline. So a recording is a function of its devices
/// alone: repeatable to the byte, and as fast as the machine computes.
public final class SimulatedClock: SessionClock {
    private struct Sleeper {
        let thread: Int
        let deadline: ClockTime
    }

    private struct State {
        var now: ClockTime
        var sleepers: [Sleeper] = []
        var running: Int?
        var holds = 0
        var started = 0

        mutating func passOn() {
            guard running == nil, holds == 0 else { return }
            let next = sleepers.indices.min {
                (sleepers[$0].deadline, sleepers[$0].thread) < (sleepers[$1].deadline, sleepers[$1].thread)
            }
            guard let next else { return }
            let sleeper = sleepers.remove(at: next)
            now = max(now, sleeper.deadline)
            running = sleeper.thread
        }
    }

    private let monitor: ConditionLock<State>
    private let epoch: Date
    private static let threadKey = "multicam.simulated-clock.thread"

    /// - Parameters:
    ///   - start: The first instant.
    ///   - epoch: The wall-clock date of instant zero.
    public init(
        start: ClockTime = ClockTime(nanoseconds: 1_000_000_000_000),
        epoch: Date = Date(timeIntervalSince1970: 1_767_225_600)
    ) {
        monitor = ConditionLock(State(now: start))
        self.epoch = epoch
    }

    public var now: ClockTime { monitor.withLock { $0.now } }
    public var isRealTime: Bool { false }

    public func date(of instant: ClockTime) -> Date {
        epoch.addingTimeInterval(Double(instant.nanoseconds) / 1e9)
    }

    @discardableResult
    public func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        if cancellation.isCancelled { return false }
        guard let thread = Thread.current.threadDictionary[Self.threadKey] as? Int else {
            preconditionFailure("only a thread of the simulated clock may sleep on it")
        }
        monitor.broadcast { state in
            state.sleepers.append(Sleeper(thread: thread, deadline: deadline))
            state.running = nil
            state.passOn()
        }
        waitForTurn(thread)
        return !cancellation.isCancelled
    }

    public func startThread(named name: String, _ body: sending @escaping () -> Void) -> MediaThread {
        let thread = monitor.broadcast { state in
            state.started += 1
            state.sleepers.append(Sleeper(thread: state.started, deadline: state.now))
            state.passOn()
            return state.started
        }
        return MediaThread(name: name) {
            Thread.current.threadDictionary[Self.threadKey] = thread
            self.waitForTurn(thread)
            body()
            self.monitor.broadcast { state in
                state.running = nil
                state.passOn()
            }
        }
    }

    public func hold() {
        monitor.withLock { $0.holds += 1 }
    }

    public func release() {
        monitor.broadcast { state in
            state.holds -= 1
            state.passOn()
        }
    }

    private func waitForTurn(_ thread: Int) {
        monitor.wait { $0.running == thread ? true : nil }
    }
}
