/// The disturbances that the sound server removes from a microphone's audio before it goes into the program. The
/// microphone's own track keeps them.
public struct VoiceSettings: Sendable, Hashable, Codable {
    /// Whether to remove the audio that the computer plays through the output made for it and the microphone picks up.
    public var echo: Bool
    /// Whether to remove steady noise: fans, hum.
    public var noise: Bool

    /// Makes settings; by default nothing is removed.
    public init(echo: Bool = false, noise: Bool = false) {
        self.echo = echo
        self.noise = noise
    }

    /// Whether anything is to be removed.
    public var isActive: Bool { echo || noise }
}
