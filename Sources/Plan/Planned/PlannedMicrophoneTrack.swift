/// A microphone's own track. In a file of its own it is Broadcast Wave; in the one common MOV it is AAC.
public struct PlannedMicrophoneTrack: Sendable, Equatable, Codable {
    /// Its name among the session's tracks: the role, but of one that is begun while another of the microphone was ended.
    public var name: String
    public var role: String
    public var file: String

    public init(name: String? = nil, role: String, file: String) {
        self.name = name ?? role
        self.role = role
        self.file = file
    }

    /// The usual file of a track of its own.
    ///
    /// - Parameter name: The track's.
    /// - Returns: Relative to the session folder.
    public static func wave(_ name: String) -> String { "audio/\(name).wav" }

    /// Whether it has a file of its own.
    public var isWave: Bool { file.hasSuffix(".wav") }
}
