internal import CMulticamLinux
import MulticamMedia

/// libpulse's thread, and the lock that protects all libpulse objects on that thread.
///
/// All `pa_*` calls are made inside `locked` or in a callback. libpulse invokes callbacks on its thread with the lock
/// held.
final class PulseLoop: @unchecked Sendable {
    // The pointer is set once. libpulse protects the object behind the pointer.
    let pointer: OpaquePointer

    init() throws(DeviceError) {
        guard let pointer = pa_threaded_mainloop_new() else {
            throw DeviceError(
                device: "PulseAudio", operation: "connecting", reason: .noSoundServer("out of memory"))
        }
        self.pointer = pointer
        pa_threaded_mainloop_set_name(pointer, "pulse")
        guard pa_threaded_mainloop_start(pointer) >= 0 else {
            throw DeviceError(
                device: "PulseAudio", operation: "connecting",
                reason: .noSoundServer("a thread could not be started"))
        }
    }

    deinit {
        precondition(
            pa_threaded_mainloop_in_thread(pointer) == 0,
            "libpulse's thread can't stop itself; stop it from another thread")
        pa_threaded_mainloop_stop(pointer)
        pa_threaded_mainloop_free(pointer)
    }

    /// Runs `body` under the lock. Callbacks already hold the lock.
    func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard pa_threaded_mainloop_in_thread(pointer) == 0 else { return try body() }
        pa_threaded_mainloop_lock(pointer)
        defer { pa_threaded_mainloop_unlock(pointer) }
        return try body()
    }
}

/// Value that a query's callback fills in. Accessed only under the loop's lock.
final class PulseReply<Value> {
    var value: Value
    private(set) var isComplete = false
    private let connection: PulseConnection

    init(_ value: Value, on connection: PulseConnection) {
        self.value = value
        self.connection = connection
    }

    /// Marks the value as complete and wakes the waiting thread.
    func complete() {
        isComplete = true
        connection.wake()
    }

    /// Returns the reply that `PulseConnection.query` passed as userdata. The reply stays alive until no more callbacks
    /// can arrive.
    static func fromUserdata(_ userdata: UnsafeMutableRawPointer?) -> PulseReply<Value>? {
        userdata.map { Unmanaged<PulseReply<Value>>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Interrupts all current and future waits for the sound server from another thread.
final class PulseInterruption: Sendable {
    private struct State {
        var isInterrupted = false
        /// The loop of the most recent connection.
        weak var loop: PulseLoop?
    }

    private let state = ConditionLock(State())

    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    func interrupt() {
        let loop = state.broadcast { state in
            state.isInterrupted = true
            return state.loop
        }
        // Signals under the loop's lock, so that a waiting thread can't miss the signal between its check and its
        // sleep.
        loop?.locked { pa_threaded_mainloop_signal(loop?.pointer, 0) }
    }

    /// Sets the loop that `interrupt` wakes.
    func attach(to loop: PulseLoop) {
        state.withLock { $0.loop = loop }
    }

    /// Sleeps until interrupted or until `deadline` on `CLOCK_MONOTONIC`.
    ///
    /// - Returns: Whether the wait was interrupted.
    func wait(until deadline: ClockTime) -> Bool {
        state.wait(until: deadline) { $0.isInterrupted ? true : nil } ?? false
    }
}
