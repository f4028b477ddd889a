internal import Media
internal import Plan
internal import Profiles

extension [String: PlannedDevice] {
    /// The devices with the computer's orientation, for cameras that turn with it and whose profile says `rotation: sensor`.
    ///
    /// - Parameters:
    ///   - profile: The profile whose cameras ask for the orientation.
    ///   - tracker: When a camera asks and this is `nil`, it becomes one of the accelerometer, whose first reading is waited for.
    /// - Returns: The same devices; those that ask have their turn.
    func turned(for profile: Profile, by tracker: inout (any OrientationTracker)?) -> Self {
        var devices = self
        for camera in profile.cameras where camera.rotation == .sensor {
            guard let device = devices[camera.role], device.device.turnsWithComputer else { continue }
            let asked = tracker ?? SensorOrientationTracker()
            tracker = asked
            devices[camera.role]?.turn = asked.turn
        }
        return devices
    }
}
