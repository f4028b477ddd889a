public import Media

/// Finds the cameras and microphones that other processes send, by their selectors `remote:NAME`. `RemoteDevices` is one.
public protocol RemoteSources: Sendable {
    /// Waits for a camera. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`.
    ///   - limit: How long a process may take to announce it.
    /// - Returns: The camera, not started.
    /// - Throws: `DeviceError` when no process has announced it in time, or a role has it.
    func camera(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any CameraSource

    /// Waits for a microphone. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`.
    ///   - limit: How long a process may take to announce it.
    /// - Returns: The microphone, not started.
    /// - Throws: `DeviceError` when no process has announced it in time, or a role has it.
    func microphone(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any MicrophoneSource
}
