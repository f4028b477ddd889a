/// The tracks that are recorded of each device, apart from the program.
public struct TrackSettings: Sendable, Equatable {
    /// The frames that a camera's track stores: its own byte for byte, encoded ones, or none.
    public enum Cameras: String, Sendable, CaseIterable { case copy, encode, none }
    /// The file that a microphone's track is written to: Broadcast Wave, or none.
    public enum Microphones: String, Sendable, CaseIterable { case wav, none }
    /// How tracks are distributed over files.
    public enum Files: String, Sendable, CaseIterable {
        case oneEach = "one-each"
        /// One file, `session.mov`, has the tracks of all cameras and microphones. The program keeps its own file.
        case one
    }

    /// Whether data of each camera frame is written, such as its time and what the camera's clock said.
    public enum Metadata: String, Sendable, CaseIterable { case none, ndjson }

    /// The frames that cameras' tracks store.
    public var cameras: Cameras
    /// The file that microphones' tracks are written to.
    public var microphones: Microphones
    /// How tracks are distributed over files.
    public var files: Files
    /// How `encode` encodes frames.
    public var video: VideoSettings
    /// Whether data of each frame is written: `ndjson` writes `cameras/ROLE.ndjson` for each camera, with or without a track.
    public var metadata: Metadata

    /// Creates track settings.
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
