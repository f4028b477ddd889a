internal import Capture
public import Media

/// Changes how the sound server uses a sound card: its active profile, and the port that its microphone listens to.
public enum SoundCardSetting {
    /// Switches a card to another profile or port; the sound server remembers both.
    ///
    /// - Parameters:
    ///   - selector: A microphone's selector, or a card's name, or a part of its name or description.
    ///   - profile: The card profile to activate; `nil` keeps the present one.
    ///   - port: The port of the microphone in that profile; `nil` keeps the present one.
    /// - Returns: The devices as they are listed afterwards.
    /// - Throws: `DeviceError` when the card, profile or port is missing, or the sound server refuses.
    public static func apply(
        to selector: String, profile: String?, port: String?
    ) throws(DeviceError) -> DeviceListing {
        try PulseCards.use(selector, profile: profile, port: port)
        return DeviceListing()
    }
}
