internal import Media

/// Finishes the files that a recording has left for the next, one after the other on a thread of its own: that takes a slow disk
/// seconds, in which the next file is written.
///
/// Only so many wait. Whoever leaves one more waits as well, so that a disk that never keeps up takes no more memory.
package final class PartFinishing: Sendable {
    /// What became of a file.
    package struct Outcome: Sendable {
        /// `nil` where it could not be finished: it is then as it was before, playable up to its last half second.
        var closed: ClosedFile?
        /// Of each stream, what is in it.
        var sampleCounts: [Int]
        var failure: FileError?
    }

    private struct Job: Sendable {
        /// What finishing it writes, in bytes.
        let byteCount: Int64
        let work: Carried<() -> Outcome>
    }

    private struct State {
        var thread: MediaThread?
        var byteCount: Int64 = 0
        var outcomes: [Outcome] = []
    }

    /// A part holds half a second of its frames, 64 MiB at most, and its index.
    private static let capacity = 4

    /// The name of the first of them.
    let file: String
    private let queue = BoundedQueue<Job>(capacity: capacity)
    private let state = ConditionLock(State())

    /// - Parameter relativePath: Of the first; the thread is named after it.
    init(of relativePath: String) {
        file = relativePath.split(separator: "/").last.map(String.init) ?? relativePath
    }

    /// Has a file finished. One thread alone may call this, and waits only while there are too many before it.
    ///
    /// - Parameters:
    ///   - byteCount: What finishing it writes.
    ///   - work: Finishes it and reads it again.
    func add(byteCount: Int64, _ work: sending @escaping () -> Outcome) {
        let (queue, state) = (queue, state)
        state.withLock { state in
            state.byteCount += byteCount
        }
        if state.withLock({ $0.thread == nil }) {
            // Most recordings are never split, and need no thread for it.
            let thread = MediaThread(name: "finish:\(file)") {
                while let job = queue.next() {
                    let outcome = job.work.value()
                    state.withLock { state in
                        state.byteCount -= job.byteCount
                        state.outcomes.append(outcome)
                    }
                }
            }
            state.withLock { $0.thread = thread }
        }
        queue.put(Job(byteCount: byteCount, work: Carried(work)))
    }

    /// What is still to be written, in bytes.
    var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// The first that went wrong so far.
    var failure: FileError? { state.withLock { $0.outcomes.lazy.compactMap(\.failure).first } }

    /// Waits until all are finished. Nothing may be added after.
    ///
    /// - Returns: What became of them, in their order.
    func join() -> [Outcome] {
        queue.finish()
        state.withLock { $0.thread }?.join()
        return state.withLock { $0.outcomes }
    }
}
