/// The text of a profile, as it was found.
public struct ProfileText: Sendable, Equatable {
    /// The file that holds it; `nil` when the profile is part of the program.
    public let path: String?
    /// What errors call its place: the path, or the name of a shipped file such as `pip.yaml`.
    let place: String
    /// The whole text, at most one byte more than a profile may have. It may hold anything.
    public let bytes: [UInt8]

    init(file path: String) throws(ProfileError) {
        self.path = path
        place = path
        bytes = try ProfileLibrary.bytes(ofFile: path)
    }

    init(_ profile: ShippedProfile) {
        path = nil
        place = profile.name + ".yaml"
        bytes = profile.bytes
    }

    /// Reads the profile; throws with the place in the text, the field and what was expected there.
    public func profile() throws(ProfileError) -> Profile {
        try Profile(yaml: bytes, file: place)
    }
}
