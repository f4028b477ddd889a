internal import MulticamMedia

/// Finalizes completed parts of a recording one by one on a separate thread.
///
/// On a slow disk, finalization takes seconds, during which the next part is already being written. At most
/// four files can wait for finalization. A thread that adds another file is blocked, so that memory use stays
/// limited even if the disk never catches up.
package final class PartFinalizer: Sendable {
    /// The outcome of finalizing one file.
    package struct Outcome: Sendable {
        /// The finalized file; `nil` if finalization failed. If finalization fails, the file stays fragmented
        /// and can be played except for the last half second.
        var closed: ClosedFile?
        /// Number of packets (movie) or samples per channel (WAV file) of each stream in the file.
        var sampleCounts: [Int]
        /// The content of each stream.
        var ledgers: [StreamLedger] = []
        /// The error that prevented finalization; `nil` if finalization succeeded.
        var failure: FileError?
    }

    private struct Job: Sendable {
        /// Number of bytes that finalization writes.
        let byteCount: Int64
        let work: Carried<() -> Outcome>
    }

    private struct State {
        var thread: MediaThread?
        var byteCount: Int64 = 0
        var outcomes: [Outcome] = []
    }

    /// Maximum number of files waiting for finalization. For each of these files, half a second of frames (at
    /// most 64 MiB) and the index are kept in memory.
    private static let capacity = 4

    /// Name of the first file, which is part of the thread's name.
    let file: String
    private let queue = BoundedQueue<Job>(capacity: capacity)
    private let state = ConditionLock(State())

    /// Creates the object that finalizes the parts of one recorded file. The thread starts when `add` is
    /// called for the first time.
    ///
    /// - Parameter relativePath: Path of the first file relative to the session folder. The thread is named after the
    ///   file.
    init(of relativePath: String) {
        file = relativePath.split(separator: "/").last.map(String.init) ?? relativePath
    }

    /// Enqueues a file to be finalized. Blocks while four other files are queued. This method must be called from only
    /// one thread.
    ///
    /// - Parameters:
    ///   - byteCount: Number of bytes that finalization writes.
    ///   - work: Finalizes the file and verifies it, on the thread of this object.
    func add(byteCount: Int64, _ work: sending @escaping () -> Outcome) {
        let (queue, state) = (queue, state)
        state.withLock { state in
            state.byteCount += byteCount
        }
        if state.withLock({ $0.thread == nil }) {
            // Most recordings are never split and don't need this thread.
            let thread = MediaThread.startWhenPossible(name: "finish:\(file)") {
                while let job = queue.dequeue() {
                    let outcome = job.work.value()
                    state.withLock { state in
                        state.byteCount -= job.byteCount
                        state.outcomes.append(outcome)
                    }
                }
            }
            state.withLock { $0.thread = thread }
        }
        queue.enqueue(Job(byteCount: byteCount, work: Carried(work)))
    }

    /// Number of bytes still to be written for the queued files.
    var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// The first finalization error; `nil` if no error has occurred.
    var failure: FileError? { state.withLock { $0.outcomes.lazy.compactMap(\.failure).first } }

    /// Waits until all queued files are finalized. `add` must not be called after this call.
    ///
    /// - Returns: The outcome of finalizing each file, in the order of the `add` calls.
    func join() -> [Outcome] {
        queue.finish()
        state.withLock { $0.thread }?.join()
        return state.withLock { $0.outcomes }
    }
}
