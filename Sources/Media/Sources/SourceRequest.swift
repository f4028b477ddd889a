/// A network camera as the process is told of it that connects to it.
public struct SourceRequest: Sendable, Equatable, Codable {
    /// The name under which it announces the camera, and its audio, at the media socket.
    public var name: String
    /// The address.
    public var url: Secret
    /// Whether the camera's frames are wanted.
    public var video: Bool
    /// Whether the camera's audio is wanted.
    public var audio: Bool

    /// Makes a request; each parameter sets the property of its name.
    public init(name: String, url: Secret, video: Bool = false, audio: Bool = false) {
        (self.name, self.url, self.video, self.audio) = (name, url, video, audio)
    }
}
