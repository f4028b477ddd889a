public import Media
public import Profiles

/// A live output of a plan: what it sends where. It holds no key, and of the address only what everybody may see.
public struct PlannedPublication: Sendable, Equatable, Codable {
    /// Frames that are made for this output alone.
    public struct Frames: Sendable, Equatable, Codable {
        /// Width and height in pixels, both even.
        public var size: FrameSize
        /// Frames per second.
        public var rate: FrameRate
        /// Bit rate of the output's own encoder in bits per second; `nil` for raw frames.
        public var bitrate: Int?

        /// Creates frames; each parameter sets the property of its name.
        public init(size: FrameSize, rate: FrameRate, bitrate: Int? = nil) {
            (self.size, self.rate, self.bitrate) = (size, rate, bitrate)
        }

        /// The frames of a source as they come: the program's, or a camera's upright ones; `nil` where there is no such source.
        init?(asThoseOf source: String, cameras: [PlannedCamera], program: PlannedProgram?) {
            if source == PublicationSettings.program, let settings = program?.settings {
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

    /// The publication's name, which is the owner of its cost.
    public var name: String
    /// The kind of its destination.
    public var kind: DestinationAddress.Kind
    /// The destination as it may be shown.
    public var destination: String
    /// What it sends: `program`, or a camera's role.
    public var source: String
    /// When it begins.
    public var start: PublicationSettings.Start
    /// Its own frames; `nil` where it sends the recording's packets, or audio alone.
    public var frames: Frames?

    /// Creates a publication; each parameter sets the property of its name.
    public init(
        name: String, kind: DestinationAddress.Kind, destination: String,
        source: String = PublicationSettings.program, start: PublicationSettings.Start = .recording,
        frames: Frames? = nil
    ) {
        (self.name, self.kind, self.destination) = (name, kind, destination)
        (self.source, self.start, self.frames) = (source, start, frames)
    }

    /// The settings of its own encoder, as far as its cost depends on them; `nil` where it has none.
    package var encoder: VideoEncodingSettings? {
        guard let frames, frames.bitrate != nil else { return nil }
        return VideoEncodingSettings(size: frames.size, rate: frames.rate, preset: Self.preset)
    }

    /// The preset with which live outputs encode.
    package static let preset = VideoEncodingSettings.Preset.superfast
}
