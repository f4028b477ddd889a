internal import CMulticamSoup
internal import MulticamMedia
internal import MulticamSystem

/// The GLib main loop that serves HTTP. The loop runs on the thread that calls `run`. All web server objects are
/// confined to that thread.
final class WebLoop {
    private let loop = g_main_loop_new(nil, 0)
    private var sources: [guint] = []
    private var handlers: [Handler] = []

    /// A callback whose address is the context of a GLib source.
    private final class Handler {
        let call: () -> Void
        init(_ call: @escaping () -> Void) { self.call = call }
    }

    deinit {
        for source in sources { g_source_remove(source) }
        g_main_loop_unref(loop)
    }

    /// Calls `body` on the loop's thread whenever a descriptor is readable.
    func whenReadable(_ descriptor: Int32, _ body: @escaping () -> Void) {
        sources.append(
            g_unix_fd_add(
                descriptor,
                GIOCondition(rawValue: GIOCondition.RawValue(G_IO_IN.rawValue | G_IO_HUP.rawValue)),
                { _, _, context in
                    WebLoop.call(context)
                    return 1
                }, context(for: body)))
    }

    /// Calls `body` periodically on the loop's thread.
    ///
    /// - Parameters:
    ///   - interval: Time between two calls, in whole milliseconds.
    ///   - body: The function to call.
    func every(_ interval: Nanoseconds, _ body: @escaping () -> Void) {
        sources.append(
            g_timeout_add(
                guint(clamping: interval.count / 1_000_000),
                { context in
                    WebLoop.call(context)
                    return 1
                }, context(for: body)))
    }

    /// Runs the loop until `quit` is called.
    func run() { g_main_loop_run(loop) }

    /// Makes `run` return soon.
    func quit() { g_main_loop_quit(loop) }

    private func context(for body: @escaping () -> Void) -> gpointer {
        let handler = Handler(body)
        handlers.append(handler)
        return Unmanaged.passUnretained(handler).toOpaque()
    }

    private static func call(_ context: gpointer?) {
        guard let context else { return }
        Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue().call()
    }
}

/// Queue of messages from other threads to the web loop's thread. Any thread may post.
///
/// Posting never blocks. Senders must limit the number of messages. For example, a frame replaces an older frame that
/// hasn't been posted yet.
final class WebMailbox<Message: Sendable>: Sendable {
    private let messages = ConditionLock<[Message]>([])
    private let wakeUp: WakeUp

    /// Creates an empty mailbox.
    ///
    /// - Throws: `DeviceError` if the system has run out of file descriptors.
    init() throws(DeviceError) { wakeUp = try WakeUp(for: "the web loop") }

    /// Descriptor that is readable while messages are waiting.
    var descriptor: Int32 { wakeUp.number }

    func post(_ message: Message) {
        let isFirst = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        if isFirst { wakeUp.wake() }
    }

    /// Dequeues all waiting messages, oldest first.
    func drain() -> [Message] {
        wakeUp.clear()
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
