import Media

/// Brings a file's bytes to the disk behind the back of the thread that writes them.
///
/// `fdatasync` can take seconds on a busy disk; the writer only asks for it. Requests that come while one is under way
/// become one. The first failure stays until somebody asks.
final class DurabilityThread: Sendable {
    private struct State {
        var isWanted = true
        var isFinished = false
        var failure: FileError?
    }

    private let monitor: Monitor<State>
    private let thread: MediaThread

    /// Starts the thread; its first work is to make the file's name durable.
    init(for file: OutputFile) {
        let monitor = Monitor(State())
        self.monitor = monitor
        let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
        thread = MediaThread(name: "sync:\(name)") {
            var nameIsDurable = false
            while Self.waitForRequest(monitor) {
                do throws(FileError) {
                    if !nameIsDurable { try file.makeNameDurable() }
                    nameIsDurable = true
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
    private static func waitForRequest(_ monitor: Monitor<State>) -> Bool {
        monitor.wait { state -> Bool? in
            if state.isFinished { return false }
            guard state.isWanted else { return nil }
            state.isWanted = false
            return true
        }
    }
}
