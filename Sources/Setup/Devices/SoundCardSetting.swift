internal import Capture
public import Media

/// How a sound card is used: which of its profiles is in force, and which port its microphone listens to.
public enum SoundCardSetting {
    /// Has the sound server use a card otherwise, which it remembers.
    ///
    /// - Parameters:
    ///   - selector: Of a microphone, or a card's name or a part of its name or description.
    ///   - profile: `nil` leaves it.
    ///   - port: Of the microphone as it is in that profile; `nil` leaves it.
    /// - Returns: The microphones of that card now, or all where the card is not known by the selector any more.
    /// - Throws: What is missing, or refused.
    public static func apply(
        to selector: String, profile: String?, port: String?
    ) throws(DeviceError) -> DeviceListing {
        try PulseCards.use(selector, profile: profile, port: port)
        return DeviceListing()
    }
}
