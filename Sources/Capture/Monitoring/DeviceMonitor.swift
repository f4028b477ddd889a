package import Media

/// Reports which cameras and microphones are there whenever that may have changed.
///
/// Cameras and microphones have a thread each, so that a sound server that does not answer delays no camera.
package final class DeviceMonitor: Sendable {
    private let cameras: CameraMonitor?
    private let microphones: MicrophoneMonitor?

    /// How long a new camera that cannot be used yet, because udevd has still to make it accessible, is held back
    /// before that is reported. Cameras present at the beginning are reported at once.
    private static let patience = Nanoseconds.milliseconds(100)

    /// Looks for devices and starts listening.
    ///
    /// - Parameters:
    ///   - catalog: Where cameras are looked for.
    ///   - server: PulseAudio server string; `nil` for the user's own server.
    ///   - cameras: Called with all cameras, on the thread that looks for them: at once, then after each arrival and
    ///     departure within milliseconds of the kernel. `nil` for no cameras. It must not call `stop`.
    ///   - microphones: Called on another thread with all microphones, without the monitors of outputs, at once and
    ///     after each change; or once with the reason when there is no sound server (any more). `nil` for no
    ///     microphones. It must not call `stop`.
    /// - Throws: `DeviceError` when the system offers no way to listen.
    package init(
        catalog: CameraCatalog = CameraCatalog(), server: String? = nil,
        cameras: (@Sendable ([LocatedDevice]) -> Void)?,
        microphones: (@Sendable (Result<[LocatedDevice], DeviceError>) -> Void)?
    ) throws(DeviceError) {
        self.cameras = try cameras.map { report throws(DeviceError) in
            let known = ConditionLock<KnownNodes?>(nil)
            return try CameraMonitor(nodes: catalog.nodes, beginningAtOnce: true) {
                // Copied out and stored back, as no lock is held while nodes are opened. Only this thread does so.
                let last = known.withLock { $0 }
                var nodes = last ?? KnownNodes()
                let (found, again) = catalog.look(&nodes, patience: last == nil ? .zero : Self.patience)
                known.withLock { $0 = nodes }
                report(found)
                return again
            }
        }
        self.microphones = microphones.map { report in
            MicrophoneMonitor(server: server) { result in
                report(
                    result.map { sources in sources.filter { !$0.isMonitor && !$0.isOwn }.map(\.located) })
            }
        }
    }

    /// Ends at once; nothing is reported after it. Must not be called from the threads that report.
    package func stop() {
        cameras?.stop()
        microphones?.stop()
    }
}
