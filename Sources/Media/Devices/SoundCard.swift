/// A card of the sound server: what decides which microphones it shows. Text is fit to print.
public struct SoundCard: Sendable, Hashable {
    /// A way in which it can be used.
    public struct Profile: Sendable, Hashable {
        /// As the server knows it: `input:analog-stereo`.
        public let name: String
        public let description: String
        /// Whether the server says that nothing speaks against it, as a plug that is not plugged in.
        public let isAvailable: Bool
        /// How many microphones it makes.
        public let sourceCount: Int

        public init(name: String, description: String, isAvailable: Bool, sourceCount: Int) {
            self.name = name
            self.description = description
            self.isAvailable = isAvailable
            self.sourceCount = sourceCount
        }
    }

    /// As the server knows it: `alsa_card.usb-046d_0825-02`.
    public let name: String
    public let description: String
    /// In the server's order.
    public let profiles: [Profile]
    /// The name of the one in force.
    public let activeProfile: String?

    public init(name: String, description: String, profiles: [Profile], activeProfile: String?) {
        self.name = name
        self.description = description
        self.profiles = profiles
        self.activeProfile = activeProfile
    }

    /// Whether it could be a microphone.
    public var canRecord: Bool { profiles.contains { $0.sourceCount > 0 } }
}
