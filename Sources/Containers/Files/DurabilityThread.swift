import MulticamMedia

/// A thread that flushes a file to disk on behalf of the writing thread.
///
/// `fdatasync` can take seconds on a busy disk, so the writer only requests it. Requests that arrive during a
/// flush are merged into one. The first failure is stored in `failure`.
final class DurabilityThread: Sendable {
    private struct State {
        var isFlushRequested = true
        /// Whether the directory entry of the file must still be flushed. The directory entry is flushed even
        /// if the file is finished immediately.
        var isDirectoryFlushPending = true
        var isFinished = false
        var failure: FileError?
    }

    private let monitor: ConditionLock<State>
    private let thread: MediaThread

    /// Starts the flushing thread, which first flushes the file's directory entry.
    init(for file: OutputFile) {
        let monitor = ConditionLock(State())
        self.monitor = monitor
        let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
        thread = MediaThread.startWhenPossible(name: "sync:\(name)") {
            while Self.waitForRequest(monitor) {
                do throws(FileError) {
                    if monitor.withLock({ $0.isDirectoryFlushPending }) { try file.makeNameDurable() }
                    monitor.withLock { $0.isDirectoryFlushPending = false }
                    try file.makeDurable()
                } catch {
                    monitor.withLock { $0.failure = $0.failure ?? error }
                    return
                }
            }
        }
    }

    deinit {
        end()
    }

    /// Requests a flush of all data written so far, and returns immediately.
    func requestFlush() {
        monitor.broadcast { $0.isFlushRequested = true }
    }

    /// The first flush failure; `nil` if no flush has failed.
    var failure: FileError? { monitor.withLock { $0.failure } }

    /// Signals the flushing thread to end, without waiting for it.
    func end() {
        monitor.broadcast { $0.isFinished = true }
    }

    /// Signals the flushing thread to end, and waits until pending flushes are complete.
    func finish() {
        end()
        thread.join()
    }

    /// Waits for the next flush request.
    ///
    /// - Returns: `false` if the thread must end.
    private static func waitForRequest(_ monitor: ConditionLock<State>) -> Bool {
        monitor.wait { state -> Bool? in
            if state.isFinished, !state.isDirectoryFlushPending { return false }
            guard state.isFlushRequested else { return nil }
            state.isFlushRequested = false
            return true
        }
    }
}
