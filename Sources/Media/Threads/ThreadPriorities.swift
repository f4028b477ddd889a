import Glibc

/// Source of the elevated priority of this process's punctual threads.
public enum PriorityGrant: Sendable, Equatable {
    /// The system's limit (`RLIMIT_NICE`, getrlimit(2)) allows the priority.
    case niceLimit
    /// RealtimeKit raised the priority on request.
    case realtimeKit
    /// Both the system and RealtimeKit refused. `reason` is RealtimeKit's error, or the reason why it can't
    /// be reached.
    case notGranted(reason: String)

    /// Identifier used in files and on the control socket.
    public var word: String {
        switch self {
        case .niceLimit: "nice-limit"
        case .realtimeKit: "realtimekit"
        case .notGranted: "not-granted"
        }
    }
}

/// A service that raises thread priorities for users who lack the system permission.
public protocol PriorityService: Sendable {
    /// Raises the priority of a thread of this process. The call blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - thread: The thread ID (gettid(2)).
    ///   - nice: The requested nice value.
    /// - Returns: The reason for a refusal, or `nil` if the thread has the priority.
    func raise(thread: Int32, toNice nice: Int32) -> String?
}

/// Priorities of this process's punctual threads. A separate thread sends requests to the service, so that other
/// threads don't have to wait for the replies.
public final class ThreadPriorities: Sendable {
    private struct State {
        var service: (any PriorityService)?
        /// Pending requests to the service: threads and their nice values.
        var waiting: [(thread: Int32, nice: Int32)] = []
        var isAsking = false
        var grant: PriorityGrant?
    }

    /// The priorities of this process.
    public static let process = ThreadPriorities()

    private let state = ConditionLock(State())

    /// Creates an instance without a priority service.
    public init() {}

    /// Sets the service to use if the system refuses.
    public func use(_ service: any PriorityService) {
        state.withLock { $0.service = service }
        askIfNeeded()
    }

    /// Source of the most recently requested priority; `nil` until it is known.
    public var grant: PriorityGrant? { state.withLock { $0.isAsking ? nil : $0.grant } }

    /// Records that the system granted the priority of a thread.
    func recordGrant() { state.withLock { $0.grant = .niceLimit } }

    /// Asks the service for the priority that the system denied to a thread.
    func ask(for thread: Int32, nice: Int32) {
        state.withLock { state in
            // Limits the queue until a service is set, because a program that never records may never set one.
            if state.waiting.count < Self.mostWaiting { state.waiting.append((thread, nice)) }
        }
        askIfNeeded()
    }

    /// Maximum number of threads that RealtimeKit raises per user.
    private static let mostWaiting = 25

    private func askIfNeeded() {
        let begins = state.withLock { state in
            guard state.service != nil, !state.isAsking, !state.waiting.isEmpty else { return false }
            state.isAsking = true
            return true
        }
        guard begins else { return }
        MediaThread.eventually(name: "priority") { [self] in
            var refusal: String?
            while let (service, request) = next() {
                // Skips threads that have ended in the meantime.
                guard access("/proc/self/task/\(request.thread)", F_OK) == 0 else { continue }
                if let reason = service.raise(thread: request.thread, toNice: request.nice) {
                    refusal = reason
                }
                let grant = refusal.map { PriorityGrant.notGranted(reason: $0) } ?? .realtimeKit
                state.withLock { $0.grant = grant }
            }
        }
    }

    private func next() -> (any PriorityService, (thread: Int32, nice: Int32))? {
        state.broadcast { state in
            guard let service = state.service, !state.waiting.isEmpty else {
                state.isAsking = false
                return nil
            }
            return (service, state.waiting.removeFirst())
        }
    }

    /// Tests whether a thread of this process can get the priority from the system or from a service. The call blocks
    /// for a few seconds at most; don't make it from a Swift task.
    ///
    /// - Parameter service: The service to use if the system refuses.
    /// - Returns: The source of the priority.
    public static func tried(with service: any PriorityService) -> PriorityGrant {
        let outcome = ConditionLock<PriorityGrant?>(nil)
        let trial: @Sendable () -> Void = {
            let grant: PriorityGrant
            if let nice = MediaThread.takePriority() {
                let refusal = MediaThread.number.map { service.raise(thread: $0, toNice: nice) }
                grant =
                    (refusal ?? "/proc is not available").map { .notGranted(reason: $0) } ?? .realtimeKit
            } else {
                grant = .niceLimit
            }
            outcome.withLock { $0 = grant }
        }
        do throws(ThreadError) {
            try MediaThread(name: "priority", trial).join()
        } catch {
            return .notGranted(reason: "\(error)")
        }
        return outcome.withLock { $0 } ?? .notGranted(reason: "the thread did not run")
    }
}
