public import Media
internal import Plan

/// One camera or microphone as it stands now; `DeviceChoice.states(of:)` delivers each change.
public struct DeviceState: Sendable, Equatable {
    /// The device as it is connected now, perhaps at another port than before; its last state while it is not connected.
    public internal(set) var device: CaptureDevice
    /// Whether the device is connected.
    public internal(set) var isConnected: Bool
    /// Whether the device is connected and cannot capture for now: it does not answer as it should, or it is built into a
    /// computer whose lid is closed.
    public internal(set) var isSuspended = false
    /// The other program that has the camera open, as far as this user may see it; `nil` for none, and for microphones, which
    /// programs share.
    public internal(set) var holder: DeviceHolder?
    /// Whether the device is the best of its kind to use now.
    public internal(set) var isSystemPreferred: Bool
    /// Whether the device is the one of its kind that the application's user prefers.
    public internal(set) var isUserPreferred: Bool

    /// Whether another program uses the camera now.
    public var isInUse: Bool {
        if holder != nil { return true }
        guard isConnected, case .inUse = device.problem else { return false }
        return true
    }
}

extension DeviceState {
    /// The state as far as a choice's list knows it.
    ///
    /// - Parameters:
    ///   - device: The device in any state that it had.
    ///   - choice: The connected devices and what is preferred of them.
    init(of device: CaptureDevice, in choice: ChoiceState) {
        let isCamera = device.mediaType == .video
        let present = isCamera ? choice.cameras.cameras : choice.microphones.microphones
        let found: CaptureDevice? =
            if case .found(let device, _) = device.identity.search(among: present) { device } else { nil }
        let user = isCamera ? choice.cameras.userPreferred : choice.microphones.userPreferred
        let system = isCamera ? choice.cameras.systemPreferred : choice.microphones.current
        self.init(
            device: found ?? device, isConnected: found != nil,
            isSystemPreferred: found != nil && system?.device.identity == found?.identity,
            isUserPreferred: found != nil && user?.identity == found?.identity)
    }
}
