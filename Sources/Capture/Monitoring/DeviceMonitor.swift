package import Media

/// Tells which cameras and microphones are there whenever that may have changed.
///
/// Cameras and microphones have a thread each, so that a sound server that does not answer delays no camera.
package final class DeviceMonitor: Sendable {
    private let cameras: CameraMonitor?
    private let microphones: MicrophoneMonitor?

    /// A new camera that cannot be used yet, as udevd has still to make it accessible, is held back for so long before that
    /// is told. What is there at the beginning is told as it is.
    private static let patience = Nanoseconds.milliseconds(100)

    /// Looks at what is there and listens from now on.
    ///
    /// - Parameters:
    ///   - catalog: Where cameras are looked for.
    ///   - server: The sound server; `nil` for the user's own.
    ///   - cameras: Called with all cameras, on the thread that looks for them: at once, then after each arrival and
    ///     departure within milliseconds of the kernel. `nil` for no cameras. It must not call `stop`.
    ///   - microphones: Called likewise with all microphones, without the monitors of outputs, or with the reason why there
    ///     are none (any more): once, until there are some again. `nil` for no microphones.
    /// - Throws: When the system lets us listen to nothing.
    package init(
        catalog: CameraCatalog = CameraCatalog(), server: String? = nil,
        cameras: (@Sendable ([LocatedDevice]) -> Void)?,
        microphones: (@Sendable (Result<[LocatedDevice], DeviceError>) -> Void)?
    ) throws(DeviceError) {
        self.cameras = try cameras.map { report throws(DeviceError) in
            let known = ConditionLock<KnownNodes?>(nil)
            return try CameraMonitor(nodes: catalog.nodes, beginningAtOnce: true) {
                // Taken out and put back, as no lock is held while nodes are opened. This is the only thread.
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
                    result.map { sources in sources.filter { !$0.isMonitor && !$0.isVoice }.map(\.located) })
            }
        }
    }

    /// Ends at once; nothing is reported after it. From any thread but those that report.
    package func stop() {
        cameras?.stop()
        microphones?.stop()
    }
}
