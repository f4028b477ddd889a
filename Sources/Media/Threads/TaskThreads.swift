/// Threads that run Swift tasks, so that a process doesn't need the thread pool of libdispatch.
///
/// Once per second, the monitor of libdispatch's thread pool opens `/proc/TID/stat` for each thread of the
/// pool. The monitor aborts the process if the file can't be opened (`_dispatch_workq_count_runnable_workers`
/// in libdispatch's src/event/workqueue.c). A recorder that has run out of file descriptors would lose its
/// recording.
///
/// A task runs on these threads if it is created with `executorPreference: TaskThreads.shared`. Such tasks
/// must not use `Task.sleep`, which starts libdispatch's pool.
package final class TaskThreads: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
        /// Number of threads waiting for a job.
        var idle = 0
    }

    /// Maximum number of task threads in addition to the thread that calls `run`. A task that blocks on an
    /// output occupies one of these threads.
    private static let limit = 4

    /// The task executor shared by the whole process.
    package static let shared = TaskThreads()

    private let state = ConditionLock(State())

    /// Schedules a job of a Swift task. The Swift runtime calls this method from any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.broadcast { state in
            state.jobs.append(job)
            guard state.jobs.count > state.idle, state.threads < Self.limit else { return false }
            state.threads += 1
            return true
        }
        if needsThread { MediaThread.startWhenPossible(name: "tasks") { self.run(until: { nil as Never? }) } }
    }

    /// Starts a task and runs jobs on the calling thread until the task has returned.
    ///
    /// The call blocks and uses the calling thread to run tasks. Tasks can therefore run even if the system
    /// can't create a thread.
    ///
    /// - Returns: The task's result.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
        let result = ConditionLock<Result?>(nil)
        Task(executorPreference: self) {
            let value = await body()
            result.withLock { $0 = value }
            // Wakes the thread that waits for the result.
            self.state.broadcast { _ in }
        }
        return run(until: { result.withLock { $0 } })
    }

    /// Runs jobs until `finish` returns a result.
    private func run<Result>(until finish: () -> Result?) -> Result {
        while true {
            state.withLock { $0.idle += 1 }
            let step = state.wait { state -> (job: UnownedJob?, result: Result?)? in
                let result = finish()
                guard result != nil || !state.jobs.isEmpty else { return nil }
                state.idle -= 1
                return (result == nil ? state.jobs.removeFirst() : nil, result)
            }
            if let result = step.result { return result }
            step.job?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

extension MediaThread {
    /// Runs a long operation on a separate thread, because Swift tasks must not block.
    ///
    /// - Throws: Any error thrown by `work`, or `ThreadError` if the system can't create a thread.
    package static func run<Value: Sendable>(
        named name: String, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do throws(ThreadError) {
                _ = try MediaThread(name: name) {
                    continuation.resume(with: Result { try work() })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Runs a long operation on a separate thread, because Swift tasks must not block. While the system can't create a
    /// thread, the operation waits.
    package static func perform<Value: Sendable>(
        named name: String, _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            startWhenPossible(name: name) { continuation.resume(returning: work()) }
        }
    }

    /// Runs a long operation that can fail on a separate thread. While the system can't create a thread, the operation waits.
    package static func perform<Value: Sendable, Failure: Error>(
        named name: String, _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await perform(named: name) {
            do throws(Failure) { return .success(try work()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
