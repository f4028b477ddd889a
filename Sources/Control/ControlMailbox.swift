internal import Descriptors
internal import Media

/// Answers on their way to the control thread, which they wake. Safe to call from any thread.
final class ControlMailbox: Sendable {
    struct Content: Sendable {
        /// By the number of the connection.
        var answers: [(connection: Int, reply: ControlReply)] = []
        var isClosed = false
    }

    private let content = ConditionLock(Content())
    private let wakeUp: WakeUp

    /// - Throws: When the system has no descriptor left.
    init() throws(ControlError) {
        do throws(DeviceError) {
            wakeUp = try WakeUp(for: "the control socket")
        } catch {
            throw .system(error.description)
        }
    }

    /// Readable while there is something to take.
    var descriptor: Int32 { wakeUp.number }

    func put(_ reply: ControlReply, for connection: Int) {
        content.withLock { $0.answers.append((connection, reply)) }
        wakeUp.wake()
    }

    /// No request is taken any more.
    func close() {
        content.withLock { $0.isClosed = true }
        wakeUp.wake()
    }

    /// Everything that came since the last call.
    func take() -> Content {
        wakeUp.forget()
        return content.withLock { content in
            defer { content.answers.removeAll() }
            return content
        }
    }
}
