internal import Foundation
public import Media
public import Setup

extension RemoteDevices {
    /// Waits for the devices that a request wants of other processes. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - request: What to run; a role's selector is `remote:NAME`.
    ///   - limit: How long the processes may take, all together.
    ///   - cancellation: Ends the wait.
    /// - Returns: The sources by role, for `SessionSetup(_:cameras:microphones:)`.
    /// - Throws: `SetupError` when the profile is invalid, or a device has not come in time.
    public func sources(
        for request: SetupRequest, within limit: Nanoseconds,
        unless cancellation: Cancellation = Cancellation()
    ) throws(SetupError) -> (cameras: [String: any CameraSource], microphones: [String: any MicrophoneSource])
    {
        let wanted = try SessionSetup.selectors(of: request)
        let deadline = MonotonicClock().now + limit
        var cameras: [String: any CameraSource] = [:]
        var microphones: [String: any MicrophoneSource] = [:]
        do throws(DeviceError) {
            for (role, selector) in wanted.cameras where Self.handles(selector) {
                cameras[role] = try wait(
                    until: deadline, cancellation, Self.missing(selector, "camera", limit)
                ) {
                    (time) throws(DeviceError) in
                    try camera(selector, within: time)
                }
            }
            for (role, selector) in wanted.microphones where Self.handles(selector) {
                microphones[role] = try wait(
                    until: deadline, cancellation, Self.missing(selector, "microphone", limit)
                ) {
                    (time) throws(DeviceError) in
                    try microphone(selector, within: time)
                }
            }
        } catch {
            throw .device(error)
        }
        return (cameras, microphones)
    }

    /// Tries again and again, a little longer each time, so that it can be cancelled.
    private func wait<Source>(
        until deadline: ClockTime, _ cancellation: Cancellation, _ failure: DeviceError,
        _ find: (Nanoseconds) throws(DeviceError) -> Source
    ) throws(DeviceError) -> Source {
        let clock = MonotonicClock()
        while clock.now + .milliseconds(100) < deadline, !cancellation.isCancelled {
            do throws(DeviceError) {
                return try find(.milliseconds(100))
            } catch {
                // It may still come.
            }
        }
        throw failure
    }
}
