/// A microphone's own track: Broadcast Wave in a file of its own, AAC in the common MOV.
public struct PlannedMicrophoneTrack: Sendable, Equatable, Codable {
    /// The name among the session's tracks: the role, except for a track that begins after another one of the microphone ended.
    public var name: String
    /// The microphone's role.
    public var role: String
    /// The track's file, relative to the session folder.
    public var file: String

    /// Creates a track of a microphone, named as its role where no `name` is given.
    public init(name: String? = nil, role: String, file: String) {
        self.name = name ?? role
        self.role = role
        self.file = file
    }

    /// The usual file of a track that has a file of its own.
    ///
    /// - Parameter name: The track's name.
    /// - Returns: A path relative to the session folder: `audio/host.wav`.
    public static func wave(_ name: String) -> String { "audio/\(name).wav" }

    /// Whether the track has a Broadcast Wave file of its own.
    public var isWave: Bool { file.hasSuffix(".wav") }
}
