internal import FileSystem
import Media

/// Tells when cameras come and go, on a thread of its own.
///
/// It says only *that* something changed; `CameraCatalog` says what there is.
final class CameraMonitor: Sendable {
    private let stopping: WakeUp
    private let thread: MediaThread

    /// Starts listening: every change after this returns is reported.
    ///
    /// - Parameters:
    ///   - nodes: Folder of the device nodes.
    ///   - beginsAtOnce: Whether `look` is called first without any news.
    ///   - look: Called on the monitor's thread after a camera's node appeared, vanished or changed its permissions:
    ///     within milliseconds of the kernel, and again once udevd has finished with the node. One call may stand for
    ///     several changes, and one camera with two nodes for several calls. Also called when the time that it returned
    ///     last has come without any news. It must not call `stop` nor drop the last reference.
    /// - Throws: `DeviceError` when the system offers no way to listen.
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

    /// Ends listening at once and waits for a call of `look` that is under way; none follows.
    func stop() {
        stopping.wake()
        thread.join()
    }
}
