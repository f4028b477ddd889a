/// Who dates a device's frames or audio.
public enum TimeOrigin: String, Sendable, Hashable, Codable, CaseIterable {
    /// The driver of this computer, at the device.
    case driver
    /// The device's own wall clock, which agrees with this computer's.
    case wallClock = "wall-clock"
    /// This computer, when they arrived, less what is known of their way.
    case arrival
    /// A process that relates the device's clock to this computer's.
    case mapped
}
