/// What a profile says of the time after a recording: its title, the people in it, the projects that are written when it ends.
public struct EditingSettings: Sendable, Equatable, Codable {
    /// The title of the recording; `nil` where the folder's name serves.
    public var title: String?
    /// Names of people by the role of their microphone or camera.
    public var people: [String: String]
    /// Formats of the projects that are written when the recording has ended.
    public var formats: [EditFormat]

    /// Creates settings, which by default say nothing.
    public init(title: String? = nil, people: [String: String] = [:], formats: [EditFormat] = []) {
        self.title = title
        self.people = people
        self.formats = formats
    }
}
