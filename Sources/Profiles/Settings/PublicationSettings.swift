public import Media

/// A live output that a profile names: where it sends what, and when it begins.
public struct PublicationSettings: Sendable, Equatable {
    /// When a publication begins.
    public enum Start: String, Sendable, Codable, CaseIterable {
        /// With each recording, and it ends with it.
        case recording
        /// With the session, on standby too.
        case session
        /// By the command `publish` alone.
        case command
    }

    /// Where the address is written.
    public enum Address: Sendable, Equatable {
        /// In the profile itself.
        case given(DestinationAddress)
        /// Apart from the profile, since it holds a key.
        case kept(SecretSource)
    }

    /// The publication's name: a role's rules hold for it, and no role has it.
    public var name: String
    /// Where it sends to.
    public var address: Address
    /// Where the token of a WHIP endpoint is kept; `nil` for none.
    public var token: SecretSource?
    /// What it sends: `program`, or a camera's role.
    public var source: String
    /// When it begins.
    public var start: Start
    /// Width and height of its own frames; `nil` where it says nothing of them.
    public var size: FrameSize?
    /// Rate of its own frames; `nil` where it says nothing of it.
    public var rate: FrameRate?
    /// Bit rate of its own encoder in bits per second; `nil` where it says nothing of it.
    public var bitrate: Int?
    /// Whether it has frames of its own, in place of the recording's packets.
    public var hasOwnFrames: Bool
    /// Whether its address was read from where it is kept apart from the profile.
    package var isKeptApart = false

    /// Creates a publication that sends the program's packets with each recording.
    public init(
        name: String, address: Address, token: SecretSource? = nil,
        source: String = Self.program, start: Start = .recording
    ) {
        (self.name, self.address, self.token) = (name, address, token)
        (self.source, self.start, hasOwnFrames) = (source, start, false)
    }

    /// The source that is no camera: the composed frame with the mix.
    public static let program = "program"
}

extension Profile {
    /// Names of the environment's variables that hold keys of this profile; no other program is to get them.
    public var secretVariables: Set<String> {
        var names: Set<String> = []
        for address in cameras.map(\.address) + microphones.map(\.address) {
            if case .environment(let name)? = address { names.insert(name) }
        }
        for publication in publications {
            if case .kept(.environment(let name)) = publication.address { names.insert(name) }
            if case .environment(let name)? = publication.token { names.insert(name) }
        }
        return names
    }
}
