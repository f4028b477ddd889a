public import Media

/// Finds the cameras and microphones that other processes send, by their selectors `remote:NAME`, as `RemoteDevices`
/// does, and network cameras.
public protocol RemoteSources: Sendable {
    /// Hears that a camera is waited for soon, so that several are connected to at once.
    ///
    /// - Parameter selector: `remote:NAME`, or the address of a network camera.
    func expect(camera selector: String)

    /// Hears that a microphone is waited for soon.
    ///
    /// - Parameter selector: `remote:NAME`, or the address of a network camera that has audio.
    func expect(microphone selector: String)

    /// Waits for a camera. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the address of a network camera.
    ///   - limit: How long a process may take to announce it.
    /// - Returns: The camera, not started.
    /// - Throws: `DeviceError` when no process has announced it in time, or a role has it.
    func camera(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any CameraSource

    /// Waits for a microphone. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the address of a network camera.
    ///   - limit: How long a process may take to announce it.
    /// - Returns: The microphone, not started.
    /// - Throws: `DeviceError` when no process has announced it in time, or a role has it.
    func microphone(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any MicrophoneSource
}

extension RemoteSources {
    /// Does nothing: whoever sends it comes by itself.
    public func expect(camera selector: String) {}
    /// Does nothing: whoever sends it comes by itself.
    public func expect(microphone selector: String) {}
}
