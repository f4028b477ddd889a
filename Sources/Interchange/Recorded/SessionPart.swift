public import Media

/// One media file of a track: what it holds of the session, and where.
public struct SessionPart: Sendable, Equatable {
    /// Path of the file, relative to the session folder.
    public let file: String
    /// Index of the track's stream in the file, from 0.
    public let stream: Int
    /// Codec of the stream: `h264`, `mjpeg`, `aac` or `pcm_s24le`.
    public let codec: String
    /// The instant of the session that is time 0 of the file.
    public let from: MediaTime
    /// The instant of the session at which the next part's first frame is shown, or the track ends.
    public internal(set) var to: MediaTime
    /// The instant of the session at which the first frame is shown: `from`, but for a copied H.264 track, whose files each begin with
    /// a key frame. The file before goes on until then.
    public internal(set) var firstFrame: MediaTime
    /// Size of the stored frames in pixels; `nil` for audio.
    public let size: FrameSize?

    /// Describes a file of a track.
    public init(
        file: String, stream: Int, codec: String, from: MediaTime, to: MediaTime, size: FrameSize? = nil
    ) {
        self.file = file
        self.stream = stream
        self.codec = codec
        self.from = from
        self.to = to
        firstFrame = from
        self.size = size
    }
}
