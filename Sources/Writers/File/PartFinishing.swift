internal import Media

/// Finishes, one after the other on a thread of its own, the files that a recording has left for the next part.
///
/// Finishing takes seconds on a slow disk, while the next part is already written. At most four files wait; the thread that
/// adds another one waits too, so that a disk that never keeps up takes no more memory.
package final class PartFinishing: Sendable {
    /// The outcome of finishing one file.
    package struct Outcome: Sendable {
        /// The finished file, or `nil` when finishing failed: the file is then still fragmented, and plays up to its last half
        /// second.
        var closed: ClosedFile?
        /// Number of packets (movie) or samples per channel (wave file) of each stream in the file.
        var sampleCounts: [Int]
        /// The error that kept the file from being finished, or `nil` when there was none.
        var failure: FileError?
    }

    private struct Job: Sendable {
        /// Number of bytes that finishing the file writes.
        let byteCount: Int64
        let work: Carried<() -> Outcome>
    }

    private struct State {
        var thread: MediaThread?
        var byteCount: Int64 = 0
        var outcomes: [Outcome] = []
    }

    /// Most files that wait. Each holds half a second of its frames, 64 MiB at most, and its index in memory.
    private static let capacity = 4

    /// Name of the recording's first file, after which the thread is named.
    let file: String
    private let queue = BoundedQueue<Job>(capacity: capacity)
    private let state = ConditionLock(State())

    /// Creates the finisher of one recorded file's parts. Its thread starts with the first `add`.
    ///
    /// - Parameter relativePath: Path of the first file relative to the session folder; the thread is named after the file.
    init(of relativePath: String) {
        file = relativePath.split(separator: "/").last.map(String.init) ?? relativePath
    }

    /// Queues a file to be finished, and waits while four files are queued before it. To be called from one thread only.
    ///
    /// - Parameters:
    ///   - byteCount: Number of bytes that finishing the file writes.
    ///   - work: Finishes the file and verifies it, on the finisher's thread.
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

    /// Number of bytes that the queued files still have to write.
    var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// The first error in finishing a file so far, or `nil` when there was none.
    var failure: FileError? { state.withLock { $0.outcomes.lazy.compactMap(\.failure).first } }

    /// Waits until all queued files are finished. `add` must not be called afterwards.
    ///
    /// - Returns: The outcome of each file, in the order in which the files were added.
    func join() -> [Outcome] {
        queue.finish()
        state.withLock { $0.thread }?.join()
        return state.withLock { $0.outcomes }
    }
}
