import Media

/// Runs the steps of a task on a thread of its own. What records in real time between two steps would else wait there for its turn
/// among all tests that run, and take their processor time meanwhile.
final class OwnThread: TaskExecutor {
    private let steps = BoundedQueue<UnownedJob>(capacity: 1000)

    private init() {}

    func enqueue(_ step: consuming ExecutorJob) { steps.put(UnownedJob(step)) }

    /// Runs a body on a thread that ends with it.
    static func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let executor = OwnThread()
        _ = MediaThread(name: "test") {
            while let step = executor.steps.next() {
                step.runSynchronously(on: executor.asUnownedTaskExecutor())
            }
        }
        defer { executor.steps.finish() }
        try await Task(executorPreference: executor, operation: { try await body() }).value
    }
}
