import Media

/// Thread that flushes a file to disk on behalf of the writing thread.
///
/// `fdatasync` can take seconds on a busy disk, so the writer only requests it. Requests during a running flush are
/// merged into one. The first failure is kept until it is read.
final class DurabilityThread: Sendable {
    private struct State {
        var isWanted = true
        /// Whether the file's name isn't durable yet. The name is made durable even if the file is finished
        /// immediately.
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
        thread = MediaThread.eventually(name: "sync:\(name)") {
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

    /// Requests that all previously written data be made durable, and returns immediately.
    func request() {
        monitor.broadcast { $0.isWanted = true }
    }

    /// First failure; `nil` if no failure occurred.
    var failure: FileError? { monitor.withLock { $0.failure } }

    /// Asks the thread to end, without waiting for it.
    func end() {
        monitor.broadcast { $0.isFinished = true }
    }

    /// Ends the thread, and waits until its current work is done.
    func finish() {
        end()
        thread.join()
    }

    /// Waits for the next request.
    ///
    /// - Returns: `false` if the thread must end.
    private static func waitForRequest(_ monitor: ConditionLock<State>) -> Bool {
        monitor.wait { state -> Bool? in
            if state.isFinished, !state.isNameDue { return false }
            guard state.isWanted else { return nil }
            state.isWanted = false
            return true
        }
    }
}
