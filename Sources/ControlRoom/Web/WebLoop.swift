internal import CSoup
internal import Media

/// The GLib main loop that serves HTTP. It runs on the thread that calls `run`; everything of the web server belongs to that thread.
final class WebLoop {
    private let loop = g_main_loop_new(nil, 0)
    private var sources: [guint] = []
    private var handlers: [Handler] = []

    /// Something to call. Its address is the context of a GLib source.
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

    /// Calls `body` on the loop's thread again and again.
    ///
    /// - Parameters:
    ///   - interval: The time between two calls; whole milliseconds.
    ///   - body: What to call.
    func every(_ interval: Nanoseconds, _ body: @escaping () -> Void) {
        sources.append(
            g_timeout_add(
                guint(clamping: interval.count / 1_000_000),
                { context in
                    WebLoop.call(context)
                    return 1
                }, context(for: body)))
    }

    /// Runs until `quit`.
    func run() { g_main_loop_run(loop) }

    /// Ends `run` soon.
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
