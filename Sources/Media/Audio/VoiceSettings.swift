/// What the sound server is to take out of a microphone's audio before the program has it. The microphone's own track keeps all of it.
public struct VoiceSettings: Sendable, Hashable, Codable {
    /// What the computer plays through the output made for it, as it comes back through the microphone.
    public var echo: Bool
    /// What sounds on evenly: fans, hum.
    public var noise: Bool

    public init(echo: Bool = false, noise: Bool = false) {
        self.echo = echo
        self.noise = noise
    }

    /// Whether anything is to be taken out.
    public var isActive: Bool { echo || noise }
}
