public import Media
public import Profiles

/// A live output of a plan: its source and its target. The value contains only the public part of the address and no
/// stream key.
public struct PlannedLiveOutput: Sendable, Equatable, Codable {
    /// Frames that are produced only for this output.
    public struct Frames: Sendable, Equatable, Codable {
        /// Width and height in pixels, both even.
        public var size: FrameSize
        /// Frames per second.
        public var rate: FrameRate
        /// Bit rate of the output's separate encoder in bits per second; `nil` for raw frames.
        public var bitrate: Int?

        /// Creates a frame description. Each parameter sets the property of the same name.
        public init(size: FrameSize, rate: FrameRate, bitrate: Int? = nil) {
            (self.size, self.rate, self.bitrate) = (size, rate, bitrate)
        }

        /// Creates a description with the unmodified size and rate of a source: the program, or a camera's upright
        /// frames; `nil` if the source doesn't exist.
        init?(asThoseOf source: String, cameras: [PlannedCamera], program: PlannedProgram?) {
            if source == LiveOutputSettings.program, let settings = program?.settings {
                self.init(size: settings.size, rate: settings.rate)
            } else if let camera = cameras.first(where: { $0.role == source }) {
                let stored = camera.crop?.size ?? camera.format.size
                let upright = camera.rotation.swapsSides ? stored.turned : stored
                self.init(
                    size: FrameSize(width: upright.width / 2 * 2, height: upright.height / 2 * 2),
                    rate: camera.format.rate)
            } else {
                return nil
            }
        }
    }

    /// Name of the live output. The output's cost is listed under this name.
    public var name: String
    /// The kind of live output.
    public var kind: LiveOutputAddress.Kind
    /// The address without its secrets.
    public var address: String
    /// The source to send: `program`, or a camera's role.
    public var source: String
    /// When the live output starts.
    public var start: LiveOutputSettings.Start
    /// Separate frames for this output; `nil` if it sends the recording's packets, or only audio.
    public var frames: Frames?

    /// Creates a live output. Each parameter sets the property of the same name.
    public init(
        name: String, kind: LiveOutputAddress.Kind, address: String,
        source: String = LiveOutputSettings.program, start: LiveOutputSettings.Start = .recording,
        frames: Frames? = nil
    ) {
        (self.name, self.kind, self.address) = (name, kind, address)
        (self.source, self.start, self.frames) = (source, start, frames)
    }

    /// Settings of the output's separate encoder that affect the output's cost; `nil` if there is no separate encoder.
    package var encoder: VideoEncodingSettings? {
        guard let frames, frames.bitrate != nil else { return nil }
        return VideoEncodingSettings(size: frames.size, rate: frames.rate, preset: Self.preset)
    }

    /// Encoder preset for live outputs.
    package static let preset = VideoEncodingSettings.Preset.superfast
}
