package import MulticamMedia

/// Reports the connected cameras and microphones whenever they may have changed.
///
/// Cameras and microphones have separate threads, so that an unresponsive sound server doesn't delay cameras.
package final class DeviceMonitor: Sendable {
    private let cameras: CameraMonitor?
    private let microphones: MicrophoneMonitor?

    /// Maximum delay before a new camera is reported if udevd hasn't made the camera accessible yet. Cameras
    /// that are connected at the start are reported immediately.
    private static let settleTimeout = Nanoseconds.milliseconds(100)

    /// Lists the devices and starts monitoring.
    ///
    /// - Parameters:
    ///   - catalog: The catalog that lists the cameras.
    ///   - server: PulseAudio server string; `nil` for the user's default server.
    ///   - cameras: Called with all cameras on the camera monitor's thread: immediately, and after each connection and
    ///     disconnection within milliseconds of the kernel event. `nil` to ignore cameras. The function must not call
    ///     `stop`.
    ///   - microphones: Called with all microphones, except monitors of outputs, on another thread: immediately and
    ///     after each change. Called once with the reason if the sound server is missing or has disappeared. `nil` to
    ///     ignore microphones. The function must not call `stop`.
    /// - Throws: `DeviceError` if the system doesn't support monitoring.
    package init(
        catalog: CameraCatalog = CameraCatalog(), server: String? = nil,
        cameras: (@Sendable ([LocatedDevice]) -> Void)?,
        microphones: (@Sendable (Result<[LocatedDevice], DeviceError>) -> Void)?
    ) throws(DeviceError) {
        self.cameras = try cameras.map { report throws(DeviceError) in
            let known = ConditionLock<KnownNodes?>(nil)
            return try CameraMonitor(nodes: catalog.nodes, callsImmediately: true) {
                // The set is copied out and stored back, so that no lock is held while nodes are opened. Only
                // this thread modifies the set.
                let last = known.withLock { $0 }
                var nodes = last ?? KnownNodes()
                let (found, again) = catalog.scan(
                    &nodes, settleTimeout: last == nil ? .zero : Self.settleTimeout)
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

    /// Stops monitoring immediately; no reports follow. Must not be called from the reporting threads.
    package func stop() {
        cameras?.stop()
        microphones?.stop()
    }
}
