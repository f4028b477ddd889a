/// A card of the sound server, which decides which microphones the server shows. Its texts are printable.
public struct SoundCard: Sendable, Hashable {
    /// A way in which the card can be used.
    public struct Profile: Sendable, Hashable {
        /// The server's name of the profile: `input:analog-stereo`.
        public let name: String
        /// The server's name of the profile for people.
        public let description: String
        /// Whether the profile can be used as far as the server knows; `false`, for example, while its plug is not plugged
        /// in.
        public let isAvailable: Bool
        /// Number of microphones that the profile makes.
        public let sourceCount: Int

        /// Makes a profile from what the server says; the texts must be printable.
        public init(name: String, description: String, isAvailable: Bool, sourceCount: Int) {
            self.name = name
            self.description = description
            self.isAvailable = isAvailable
            self.sourceCount = sourceCount
        }
    }

    /// The server's name of the card: `alsa_card.usb-046d_0825-02`.
    public let name: String
    /// The server's name of the card for people.
    public let description: String
    /// The card's profiles in the server's order.
    public let profiles: [Profile]
    /// The name of the profile in force; `nil` where none is.
    public let activeProfile: String?

    /// Makes a card from what the server says; the texts must be printable.
    public init(name: String, description: String, profiles: [Profile], activeProfile: String?) {
        self.name = name
        self.description = description
        self.profiles = profiles
        self.activeProfile = activeProfile
    }

    /// Whether any profile of the card makes a microphone.
    public var canRecord: Bool { profiles.contains { $0.sourceCount > 0 } }
}
