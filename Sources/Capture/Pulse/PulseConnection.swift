internal import CLinux
internal import Media

/// A connection to the sound server. Owns libpulse's loop and context.
///
/// Any thread but libpulse's own may use it and must be the one that drops the last reference.
final class PulseConnection: @unchecked Sendable {
    // The pointer is set once; what is behind it is touched only under the loop's lock.
    let context: OpaquePointer
    private let loop: PulseLoop
    private let interruption: PulseInterruption?

    /// Connects to a server. A server that does not run is never started: a desktop has a running one, and elsewhere
    /// the error should say why there is no audio.
    ///
    /// - Parameters:
    ///   - clientName: The name that mixers show.
    ///   - server: A PulseAudio server string such as `unix:/run/user/1000/pulse/native`; `nil` for the user's own.
    ///   - timeLimit: How long the server has to accept the connection.
    ///   - interruption: Ends each wait for the server's answer from another thread.
    /// - Throws: `DeviceError` with `noSoundServer` and libpulse's reason, or when the time is over.
    init(
        clientName: String = "multicam", server: String? = nil, timeLimit: Nanoseconds = .seconds(3),
        interruption: PulseInterruption? = nil
    ) throws(DeviceError) {
        let loop = try PulseLoop()
        interruption?.concerns(loop)
        let created = loop.locked {
            pa_context_new(pa_threaded_mainloop_get_api(loop.pointer), clientName)
        }
        guard let created else { throw Self.noServer("no memory for the connection") }
        self.loop = loop
        self.interruption = interruption
        context = created
        try locked { () throws(DeviceError) in
            // The userdata is the loop, which outlives the context by the order in `deinit`.
            pa_context_set_state_callback(
                context, { _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) },
                UnsafeMutableRawPointer(loop.pointer))
            guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else { throw failure }
            let isDecided = wait(atMost: timeLimit) { isReady || hasFailed }
            guard isDecided else {
                throw Self.noServer("no answer within \(timeLimit.count / 1_000_000_000) s")
            }
            guard isReady else { throw failure }
        }
    }

    deinit {
        loop.locked {
            pa_context_set_state_callback(context, nil, nil)
            pa_context_disconnect(context)
            pa_context_unref(context)
        }
    }

    /// Runs `body` with the lock that all calls to libpulse need.
    func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try loop.locked(body)
    }

    /// Whether the server answers. Must be called under the lock.
    var isReady: Bool { pa_context_get_state(context) == PA_CONTEXT_READY }

    var isInterrupted: Bool { interruption?.isInterrupted == true }

    /// Wakes the thread that is in `wait`. Must be called under the lock.
    func wake() {
        pa_threaded_mainloop_signal(loop.pointer, 0)
    }

    /// Sleeps until `condition` holds. Must be called under the lock, which is released while sleeping; `condition` is
    /// evaluated after each `wake` and change of the connection.
    ///
    /// - Returns: `false` when `limit` passed first, or the connection was interrupted.
    func wait(atMost limit: Nanoseconds, until condition: () -> Bool) -> Bool {
        let deadline = pa_rtclock_now() + pa_usec_t(max(limit.count, 0) / 1_000)
        // One millisecond later, so that the deadline has surely passed when the alarm wakes this thread.
        let alarm = pa_context_rttime_new(
            context, deadline + 1_000,
            { _, _, _, loop in pa_threaded_mainloop_signal(OpaquePointer(loop), 0) },
            UnsafeMutableRawPointer(loop.pointer))
        defer {
            if let alarm { pa_threaded_mainloop_get_api(loop.pointer).pointee.time_free(alarm) }
        }
        while !condition() {
            if pa_rtclock_now() >= deadline || isInterrupted { return false }
            pa_threaded_mainloop_wait(loop.pointer)
        }
        return true
    }

    /// Asks the server a question and waits for the answer, at most 3 s.
    ///
    /// - Parameters:
    ///   - initial: The value before the callbacks add to it.
    ///   - operation: What is asked, for messages.
    ///   - begin: Starts the question with a `PulseReply<Value>` as the callback's userdata.
    /// - Returns: The value as the callbacks left it.
    /// - Throws: `DeviceError` with `noSoundServer` when the question cannot be asked, the time is over or the server
    ///   goes away.
    func ask<Value>(
        _ initial: Value, operation: String, _ begin: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(DeviceError) -> Value {
        let reply = PulseReply(initial, on: self)
        func unanswered(_ why: String) -> DeviceError {
            DeviceError(
                device: "PulseAudio", operation: operation,
                reason: .noSoundServer(isReady ? why : "it went away"))
        }
        return try locked { () throws(DeviceError) in
            // `reply` outlives the callbacks: the operation is done or cancelled before this scope ends.
            guard let question = begin(Unmanaged.passUnretained(reply).toOpaque()) else {
                throw unanswered(failureText)
            }
            defer { pa_operation_unref(question) }
            _ = wait(atMost: .seconds(3)) { reply.isComplete || !isReady }
            if pa_operation_get_state(question) == PA_OPERATION_RUNNING { pa_operation_cancel(question) }
            guard reply.isComplete else { throw unanswered("no answer within 3 s") }
            return reply.value
        }
    }

    /// libpulse's reason why the last call failed. Must be called under the lock.
    var failureText: String { String(cString: pa_strerror(pa_context_errno(context))) }

    private var failure: DeviceError { Self.noServer(failureText) }

    private var hasFailed: Bool {
        let state = pa_context_get_state(context)
        return state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED
    }

    private static func noServer(_ reason: String) -> DeviceError {
        DeviceError(device: "PulseAudio", operation: "connect", reason: .noSoundServer(reason))
    }
}
