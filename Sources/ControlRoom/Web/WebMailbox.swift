internal import FileSystem
internal import Media

/// Messages from other threads to the thread of the web loop. Any thread may post.
///
/// Posting never blocks. Who posts bounds what it posts: frames replace older ones before they get here.
final class WebMailbox<Message: Sendable>: Sendable {
    private let messages = ConditionLock<[Message]>([])
    private let wakeUp: WakeUp

    /// Creates an empty mailbox.
    ///
    /// - Throws: `DeviceError` when the system has no descriptor left.
    init() throws(DeviceError) { wakeUp = try WakeUp(for: "the web loop") }

    /// The descriptor that is readable while messages wait.
    var descriptor: Int32 { wakeUp.number }

    func post(_ message: Message) {
        let isFirst = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        if isFirst { wakeUp.wake() }
    }

    /// Takes all messages that wait, the oldest first.
    func take() -> [Message] {
        wakeUp.forget()
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
