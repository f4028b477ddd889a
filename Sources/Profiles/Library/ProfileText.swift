/// The text of a profile, unchecked.
public struct ProfileText: Sendable, Equatable {
    /// The file that holds the text; `nil` when the profile is built into the program.
    public let path: String?
    /// The name of the text in errors: the path, or the name of a built-in file such as `pip.yaml`.
    let place: String
    /// The text, at most one byte more than a profile may have. It may hold anything.
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

    /// Reads the profile from the text.
    ///
    /// - Throws: `ProfileError` with the place in the text, the field and what was expected there.
    public func profile() throws(ProfileError) -> Profile {
        try Profile(yaml: bytes, file: place)
    }
}
