import MulticamMedia

/// Runs the steps of a task on a separate thread. Without it, a test that records in real time would compete
/// with all running tests for processor time, and wait for its turn between two steps.
final class SingleThreadExecutor: TaskExecutor {
    private let steps = BoundedQueue<UnownedJob>(capacity: 1000)

    private init() {}

    func enqueue(_ step: consuming ExecutorJob) { steps.enqueue(UnownedJob(step)) }

    /// Runs a body on a thread that ends with it.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
        let executor = SingleThreadExecutor()
        MediaThread.startWhenPossible(name: "test") {
            while let step = executor.steps.dequeue() {
                step.runSynchronously(on: executor.asUnownedTaskExecutor())
            }
        }
        defer { executor.steps.finish() }
        return try await Task(executorPreference: executor, operation: { try await body() }).value
    }
}
