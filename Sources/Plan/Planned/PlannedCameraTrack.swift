public import Media

/// A camera's own track.
public struct PlannedCameraTrack: Sendable, Equatable, Codable {
    /// How a track gets its frames: `copy` stores the camera's own frames byte for byte, `encode` encodes them anew.
    public enum Mode: String, Sendable, Codable { case copy, encode }

    /// The name among the session's tracks: the role, except for a track that begins after another one of the camera was ended.
    public var name: String
    /// The camera's role.
    public var role: String
    /// Whether the camera's frames are copied or encoded.
    public var mode: Mode
    /// The track's file, relative to the session folder.
    public var file: String
    /// The rate of the track's grid.
    public var rate: FrameRate
    /// The size and rate of the stored frames, and for `encode` how they are encoded.
    public var settings: VideoEncodingSettings
    /// The clockwise rotation that makes the stored frames upright; the file states it, and no pixel is turned.
    public var rotation: Rotation
    /// The part of the camera's stored frames that the track shows, in pixels; `nil` for the whole frame, as in every copy.
    public var crop: PixelRectangle?

    /// Creates a track of a camera, named as its role where no `name` is given.
    public init(
        name: String? = nil, role: String, mode: Mode, file: String, rate: FrameRate,
        settings: VideoEncodingSettings, rotation: Rotation, crop: PixelRectangle? = nil
    ) {
        self.name = name ?? role
        self.role = role
        self.mode = mode
        self.file = file
        self.rate = rate
        self.settings = settings
        self.rotation = rotation
        self.crop = crop
    }
}
