internal import CLinux
internal import Media

/// libpulse's own thread, and the lock that guards every libpulse object that lives on it.
///
/// All `pa_*` calls run inside `locked`, or in a callback, which libpulse calls on its thread with the lock held.
final class PulseLoop: @unchecked Sendable {
    // Set once; libpulse guards what is behind it.
    let pointer: OpaquePointer

    init() throws(DeviceError) {
        guard let pointer = pa_threaded_mainloop_new() else {
            throw DeviceError(
                device: "PulseAudio", operation: "connect", reason: .noSoundServer("no memory for its loop"))
        }
        self.pointer = pointer
        pa_threaded_mainloop_set_name(pointer, "pulse")
        guard pa_threaded_mainloop_start(pointer) >= 0 else {
            throw DeviceError(
                device: "PulseAudio", operation: "connect", reason: .noSoundServer("no thread for its loop"))
        }
    }

    deinit {
        precondition(
            pa_threaded_mainloop_in_thread(pointer) == 0,
            "libpulse's thread cannot end itself: stop from another one")
        pa_threaded_mainloop_stop(pointer)
        pa_threaded_mainloop_free(pointer)
    }

    /// Runs `body` under the lock. A callback holds the lock already.
    func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard pa_threaded_mainloop_in_thread(pointer) == 0 else { return try body() }
        pa_threaded_mainloop_lock(pointer)
        defer { pa_threaded_mainloop_unlock(pointer) }
        return try body()
    }
}
