internal import Media

/// Where in a session folder a phone's storage arrives, before it becomes a track's file.
public struct UploadArrival: Sendable, Equatable {
    /// Role of the phone's camera.
    public let role: String
    /// The number by which the phone knows what it has kept.
    public let id: String

    /// Describes what arrives; `nil` when a word is not 1 to 32 letters, digits, `-` and `_`, as names of phones are: both become a
    /// file's name.
    ///
    /// - Parameters:
    ///   - role: Role of the phone's camera.
    ///   - id: The number by which the phone knows what it has kept.
    public init?(role: String, id: String) {
        guard PhoneSelector.selector(of: role) != nil, PhoneSelector.selector(of: id) != nil else {
            return nil
        }
        (self.role, self.id) = (role, id)
    }

    /// Path of the file, relative to the session folder.
    public var file: String { "cameras/\(role)-phone-\(id).part" }
}
