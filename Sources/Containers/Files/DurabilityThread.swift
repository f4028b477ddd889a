import Media

/// Brings a file's bytes to the disk behind the back of the thread that writes them.
///
/// `fdatasync` can take seconds on a busy disk; the writer only asks for it. Requests that come while one is under way
/// become one. The first failure stays until somebody asks.
final class DurabilityThread: Sendable {
    private struct State {
        var isWanted = true
        /// Whether the file's name is not durable yet: that is done in any case, however soon the file is finished.
        var isNameDue = true
        var isFinished = false
        var failure: FileError?
    }

    private let monitor: ConditionLock<State>
    private let thread: MediaThread

    /// Starts the thread; its first work is to make the file's name durable.
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

    /// Asks that everything written so far becomes durable. Returns at once.
    func request() {
        monitor.broadcast { $0.isWanted = true }
    }

    /// What went wrong, if anything did.
    var failure: FileError? { monitor.withLock { $0.failure } }

    /// Lets the thread end without waiting for it.
    func end() {
        monitor.broadcast { $0.isFinished = true }
    }

    /// Ends the thread and waits for what it is doing.
    func finish() {
        end()
        thread.join()
    }

    /// - Returns: `false` once the thread is to end.
    private static func waitForRequest(_ monitor: ConditionLock<State>) -> Bool {
        monitor.wait { state -> Bool? in
            if state.isFinished, !state.isNameDue { return false }
            guard state.isWanted else { return nil }
            state.isWanted = false
            return true
        }
    }
}
