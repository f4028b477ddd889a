internal import Media
internal import Plan
internal import Profiles

extension [String: PlannedDevice] {
    /// The devices of a profile, with how the computer is held for cameras that turn with it and ask for that.
    ///
    /// - Parameters:
    ///   - profile: Whose cameras ask, with `rotation: sensor`.
    ///   - tracker: Made where one asks and there is none: the computer's accelerometer, for whose first reading this waits.
    /// - Returns: The same devices; those that were asked for have their turn.
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
