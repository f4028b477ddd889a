public import MulticamMedia

/// Video encoder settings of a profile.
public struct VideoSettings: Sendable, Equatable {
    /// The video codec.
    package enum Codec: String, Sendable, CaseIterable { case h264 }

    /// The encoder that a profile requests.
    public enum Encoder: String, Sendable, CaseIterable {
        /// A hardware encoder that passed its trial on this computer and has enough capacity for the stream;
        /// otherwise x264.
        case auto
        /// x264, even if a hardware encoder exists.
        case software
        /// A hardware encoder. If no hardware encoder is available, the recording doesn't start.
        case hardware
    }

    /// The video codec.
    package var codec = Codec.h264
    /// Encoding speed of x264.
    public var preset: VideoEncodingSettings.Preset
    /// x264's constant rate factor (CRF), 0…51; lower is better. For hardware encoders, see
    /// `VideoEncodingSettings.hardware`.
    public var quality: Int
    /// The encoder that the profile requests.
    public var encoder: Encoder

    /// Creates video settings.
    public init(
        preset: VideoEncodingSettings.Preset = .balanced, quality: Int = 23,
        encoder: Encoder = .auto
    ) {
        self.preset = preset
        self.quality = quality
        self.encoder = encoder
    }
}

extension VideoSettings {
    init(_ value: ProfileValue) throws(ProfileError) {
        let fields = try value.fields(["codec", "preset", "quality", "encoder"])
        let usual = VideoSettings()
        self.init(
            preset: fields.read("preset", else: usual.preset) { value throws(ProfileError) in
                try value.choice()
            },
            quality: fields.read("quality", else: usual.quality) { value throws(ProfileError) in
                try value.integer(
                    in: 0...51, expected: "a whole number from 0 (best quality) to 51 (smallest file)")
            },
            encoder: fields.read("encoder", else: usual.encoder) { value throws(ProfileError) in
                try value.choice()
            })
        codec = fields.read("codec", else: usual.codec) { value throws(ProfileError) in
            try value.choice()
        }
    }
}

/// The tracks to record for each device, in addition to the program.
public struct TrackSettings: Sendable, Equatable {
    /// The kind of frames stored in a camera's track: the camera's frames byte for byte, encoded frames, or
    /// none.
    public enum Cameras: String, Sendable, CaseIterable { case copy, encode, none }
    /// The file format of a microphone's track: Broadcast Wave, or none.
    public enum Microphones: String, Sendable, CaseIterable { case wav, none }
    /// How the tracks of a recording are distributed across files.
    public enum Files: String, Sendable, CaseIterable {
        case oneEach = "one-each"
        /// A single file, `session.mov`, contains the tracks of all cameras and microphones. The program has
        /// a separate file.
        case one
    }

    /// Whether metadata about each camera frame is written, such as the frame's time and the camera's clock
    /// time.
    public enum Metadata: String, Sendable, CaseIterable { case none, ndjson }

    /// Frames that are stored in camera tracks: copied, encoded, or none.
    public var cameras: Cameras
    /// File format of microphone tracks.
    public var microphones: Microphones
    /// How the tracks of a recording are distributed across files.
    public var files: Files
    /// Encoder settings for camera tracks with `encode`.
    public var video: VideoSettings
    /// Whether metadata about each camera frame is written. `ndjson` writes a file `cameras/ROLE.ndjson` for
    /// each camera, even if the camera doesn't have a track.
    public var metadata: Metadata

    /// Creates track settings.
    public init(
        cameras: Cameras = .copy, microphones: Microphones = .wav, files: Files = .oneEach,
        video: VideoSettings = VideoSettings(), metadata: Metadata = .none
    ) {
        self.cameras = cameras
        self.microphones = microphones
        self.files = files
        self.video = video
        self.metadata = metadata
    }
}
