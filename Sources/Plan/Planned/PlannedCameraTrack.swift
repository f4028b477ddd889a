public import Media

/// A camera's own track.
public struct PlannedCameraTrack: Sendable, Equatable, Codable {
    public enum Mode: String, Sendable, Codable { case copy, encode }

    /// Its name among the session's tracks: the role, but of one that is begun while another of the camera was ended.
    public var name: String
    public var role: String
    public var mode: Mode
    /// Relative to the session folder.
    public var file: String
    /// The track's grid.
    public var rate: FrameRate
    /// Of the stored frame; for `encode` what it is encoded with.
    public var settings: VideoEncodingSettings
    public var rotation: Rotation
    /// The part of the camera's stored frames that it shows; all of them when `nil`, as a copy does.
    public var crop: PixelRectangle?

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
