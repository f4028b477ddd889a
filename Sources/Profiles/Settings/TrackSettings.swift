/// What is recorded of each device apart from the program.
public struct TrackSettings: Sendable, Equatable {
    public enum Cameras: String, Sendable, CaseIterable { case copy, encode, none }
    public enum Microphones: String, Sendable, CaseIterable { case wav, none }
    public enum Files: String, Sendable, CaseIterable {
        case oneEach = "one-each"
        /// All tracks of cameras and microphones in `session.mov`. The program keeps its own file.
        case one
    }

    /// What is known of each of a camera's frames, such as its time and what the camera's clock said.
    public enum Metadata: String, Sendable, CaseIterable { case none, ndjson }

    public var cameras: Cameras
    public var microphones: Microphones
    public var files: Files
    /// How `encode` encodes.
    public var video: VideoSettings
    /// `ndjson` is `cameras/ROLE.ndjson` for each camera that is recorded, with or without a track of its own.
    public var metadata: Metadata

    public init(
        cameras: Cameras, microphones: Microphones, files: Files = .oneEach,
        video: VideoSettings = VideoSettings(), metadata: Metadata = .none
    ) {
        self.cameras = cameras
        self.microphones = microphones
        self.files = files
        self.video = video
        self.metadata = metadata
    }
}
