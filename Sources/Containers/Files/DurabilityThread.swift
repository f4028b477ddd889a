import Media

/// A thread that brings a file's bytes to the disk for the thread that writes them.
///
/// `fdatasync` can take seconds on a busy disk, so the writer only requests it. Requests during a running one become one. The
/// first failure is kept until it is read.
final class DurabilityThread: Sendable {
    private struct State {
        var isWanted = true
        /// Whether the file's name is not durable yet. It is made durable even if the file is finished at once.
        var isNameDue = true
        var isFinished = false
        var failure: FileError?
    }

    private let monitor: ConditionLock<State>
    private let thread: MediaThread

    /// Starts the thread, which first makes the file's name durable.
    init(for file: OutputFile) {
        let monitor = ConditionLock(State())
        self.monitor = monitor
        let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
        thread = MediaThread(name: "sync:\(name)") {
            while Self.waitForRequest(monitor) {
                do throws(FileError) {
                    if monitor.withLock({ $0.isNameDue }) { try file.makeNameDurable() }
                    monitor.withLock { $0.isNameDue = false }
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

    /// Requests that everything written so far becomes durable, and returns at once.
    func request() {
        monitor.broadcast { $0.isWanted = true }
    }

    /// The first failure; `nil` where there was none.
    var failure: FileError? { monitor.withLock { $0.failure } }

    /// Lets the thread end, without waiting for it.
    func end() {
        monitor.broadcast { $0.isFinished = true }
    }

    /// Ends the thread, and waits for the work that it is doing.
    func finish() {
        end()
        thread.join()
    }

    /// Waits for the next request.
    ///
    /// - Returns: `false` when the thread is to end.
    private static func waitForRequest(_ monitor: ConditionLock<State>) -> Bool {
        monitor.wait { state -> Bool? in
            if state.isFinished, !state.isNameDue { return false }
            guard state.isWanted else { return nil }
            state.isWanted = false
            return true
        }
    }
}
