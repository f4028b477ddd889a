internal import FileSystem
internal import Media

/// Carries answers to the control thread and wakes it. Safe to call from any thread.
final class ControlMailbox: Sendable {
    struct Content: Sendable {
        /// The answers, with the number of their connection.
        var answers: [(connection: Int, reply: ControlReply)] = []
        var isClosed = false
    }

    private let content = ConditionLock(Content())
    private let wakeUp: WakeUp

    /// Creates an empty mailbox.
    ///
    /// - Throws: `ControlError.system` when the system has no file descriptor left.
    init() throws(ControlError) {
        do throws(DeviceError) {
            wakeUp = try WakeUp(for: "the control socket")
        } catch {
            throw .system(error.description)
        }
    }

    /// A file descriptor that is readable while there is something to take.
    var descriptor: Int32 { wakeUp.number }

    func put(_ reply: ControlReply, for connection: Int) {
        content.withLock { $0.answers.append((connection, reply)) }
        wakeUp.wake()
    }

    /// Tells the control thread to accept no more requests.
    func close() {
        content.withLock { $0.isClosed = true }
        wakeUp.wake()
    }

    /// Removes and returns everything that came since the last call.
    func take() -> Content {
        wakeUp.forget()
        return content.withLock { content in
            defer { content.answers.removeAll() }
            return content
        }
    }
}
