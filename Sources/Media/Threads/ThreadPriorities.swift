import Glibc

/// Source of the elevated priority of this process's time-critical threads.
package enum PriorityGrant: Sendable, Equatable {
    /// The system limit `RLIMIT_NICE` (getrlimit(2)) allows the elevated priority.
    case niceLimit
    /// RealtimeKit raised the thread priority on request.
    case realtimeKit
    /// Both the system and RealtimeKit refused the elevated priority. `reason` is RealtimeKit's error, or the
    /// reason why RealtimeKit can't be reached.
    case notGranted(reason: String)

    /// Identifier of the grant in files and on the control socket.
    package var identifier: String {
        switch self {
        case .niceLimit: "nice-limit"
        case .realtimeKit: "realtimekit"
        case .notGranted: "not-granted"
        }
    }
}

/// A service that raises thread priorities for users who lack the system permission.
package protocol PriorityService: Sendable {
    /// Raises the priority of a thread of this process. The call blocks for at most a few seconds.
    ///
    /// - Parameters:
    ///   - thread: The thread ID (gettid(2)).
    ///   - nice: The requested nice value.
    /// - Returns: The reason for a refusal, or `nil` if the service raised the priority.
    func raise(thread: Int32, toNice nice: Int32) -> String?
}

/// Manages the priorities of this process's time-critical threads. A separate thread sends requests to the
/// priority service, so that other threads don't have to wait for replies.
package final class ThreadPriorities: Sendable {
    private struct State {
        var service: (any PriorityService)?
        /// Pending requests to the service: threads and their nice values.
        var waiting: [(thread: Int32, nice: Int32)] = []
        var isRequesting = false
        var grant: PriorityGrant?
    }

    /// The shared instance that manages the thread priorities of this process.
    package static let process = ThreadPriorities()

    private let state = ConditionLock(State())

    /// Creates an instance without a priority service.
    package init() {}

    /// Sets the priority service that is used if the system refuses a priority.
    package func setService(_ service: any PriorityService) {
        state.withLock { $0.service = service }
        processRequests()
    }

    /// Source of the most recently requested priority; `nil` until the request has been answered.
    package var grant: PriorityGrant? { state.withLock { $0.isRequesting ? nil : $0.grant } }

    /// Records that the system granted an elevated thread priority.
    func recordGrant() { state.withLock { $0.grant = .niceLimit } }

    /// Requests a thread priority that the system denied from the priority service.
    func requestPriority(for thread: Int32, nice: Int32) {
        state.withLock { state in
            // The number of waiting requests is limited, because a program that never records may never set a
            // service.
            if state.waiting.count < Self.maxWaiting { state.waiting.append((thread, nice)) }
        }
        processRequests()
    }

    /// Maximum number of threads that RealtimeKit raises per user.
    private static let maxWaiting = 25

    private func processRequests() {
        let begins = state.withLock { state in
            guard state.service != nil, !state.isRequesting, !state.waiting.isEmpty else { return false }
            state.isRequesting = true
            return true
        }
        guard begins else { return }
        MediaThread.startWhenPossible(name: "priority") { [self] in
            var refusal: String?
            while let (service, request) = nextRequest() {
                // Requests for threads that have ended in the meantime are skipped.
                guard access("/proc/self/task/\(request.thread)", F_OK) == 0 else { continue }
                if let reason = service.raise(thread: request.thread, toNice: request.nice) {
                    refusal = reason
                }
                let grant = refusal.map { PriorityGrant.notGranted(reason: $0) } ?? .realtimeKit
                state.withLock { $0.grant = grant }
            }
        }
    }

    private func nextRequest() -> (any PriorityService, (thread: Int32, nice: Int32))? {
        state.broadcast { state in
            guard let service = state.service, !state.waiting.isEmpty else {
                state.isRequesting = false
                return nil
            }
            return (service, state.waiting.removeFirst())
        }
    }

    /// Tests whether a thread of this process can get the priority from the system or from a service. The
    /// call blocks for at most a few seconds; don't call this method from a Swift task.
    ///
    /// - Parameter service: The priority service to use if the system refuses.
    /// - Returns: The source of the priority.
    package static func testGrant(with service: any PriorityService) -> PriorityGrant {
        let outcome = ConditionLock<PriorityGrant?>(nil)
        let trial: @Sendable () -> Void = {
            let grant: PriorityGrant
            if let nice = MediaThread.raisePriority() {
                let refusal = MediaThread.currentThreadID.map { service.raise(thread: $0, toNice: nice) }
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
