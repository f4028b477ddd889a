internal import Descriptors
import Media

/// Tells when cameras come and go, on a thread of its own.
///
/// It says only *that* something changed; `CameraCatalog` says what there is.
final class CameraMonitor: Sendable {
    private let stopping: WakeUp
    private let thread: MediaThread

    /// Listens from now on: what changes after this returns is told.
    ///
    /// - Parameters:
    ///   - nodes: Where device nodes are.
    ///   - beginsAtOnce: Whether `look` is called first without any news.
    ///   - look: Called on the monitor's thread after a camera's node appeared, vanished or changed its permissions: within
    ///     milliseconds of the kernel, and again once udevd has dealt with the node. Several changes may be told by one
    ///     call, and one camera with two nodes by several. Also called when the time that it returned last has come
    ///     without any news. It must not call `stop` nor drop the last reference.
    /// - Throws: When the system lets us listen to nothing.
    init(
        nodes: String = "/dev", beginningAtOnce beginsAtOnce: Bool = false,
        lookingAgain look: @escaping @Sendable () -> ClockTime?
    ) throws(DeviceError) {
        let news = try CameraNews(nodes: nodes)
        let stopping = try WakeUp(for: "cameras")
        self.stopping = stopping
        thread = MediaThread(name: "cam-monitor") {
            var deadline = beginsAtOnce ? look() : nil
            while news.wait(until: deadline, unless: stopping) != .stop { deadline = look() }
        }
    }

    deinit {
        stop()
    }

    /// Ends listening at once and waits for a call that is under way; none follows.
    func stop() {
        stopping.wake()
        thread.join()
    }
}
