import MulticamMedia
import Testing

@Suite("Threads for tasks")
struct TaskThreadsTests {
    @Test("A task returns its value to the waiting thread, after it was resumed from another thread")
    func value() {
        let value = TaskThreads.shared.run {
            await withCheckedContinuation { continuation in
                MediaThread.startWhenPossible(name: "other") { continuation.resume(returning: 42) }
            }
        }
        #expect(value == 42)
    }

    @Test("A task whose thread blocks doesn't stop the others")
    func blocked() {
        let release = Cancellation()
        let order = ConditionLock<[Int]>([])
        let blocking = Task(executorPreference: TaskThreads.shared) {
            while !release.isCancelled { _ = release.wait(until: MonotonicClock().now + .seconds(1)) }
            order.withLock { $0.append(2) }
        }
        TaskThreads.shared.run {
            await Task(executorPreference: TaskThreads.shared) { order.withLock { $0.append(1) } }.value
            release.cancel()
            await blocking.value
        }
        #expect(order.withLock { $0 } == [1, 2])
    }

    @Test("A thrown error of work on a separate thread reaches the task")
    func failure() {
        struct Failure: Error {}
        let isThrown = TaskThreads.shared.run {
            do {
                try await MediaThread.run(named: "work") { throw Failure() }
                return false
            } catch {
                return error is Failure
            }
        }
        #expect(isThrown)
    }
}
