package import MulticamMedia
package import MulticamProfiles

/// A live output of a plan: what is sent, and where. The address contains only its public part and no stream
/// key.
package struct PlannedLiveOutput: Sendable, Equatable, Codable {
    /// Format of video frames that are produced only for this live output.
    package struct Frames: Sendable, Equatable, Codable {
        /// Width and height in pixels, both even.
        package var size: FrameSize
        /// Frames per second.
        package var rate: FrameRate
        /// Bit rate of the output's separate encoder in bits per second; `nil` for raw frames.
        package var bitrate: Int?

        /// Creates a frame description. Each parameter sets the property of the same name.
        package init(size: FrameSize, rate: FrameRate, bitrate: Int? = nil) {
            (self.size, self.rate, self.bitrate) = (size, rate, bitrate)
        }

        /// Creates a frame description with the size and rate of a source, which is the program or a camera
        /// in upright orientation. The result is `nil` if the source doesn't exist.
        init?(asThoseOf source: String, cameras: [PlannedCamera], program: PlannedProgram?) {
            if source == LiveOutputSettings.program, let settings = program?.settings {
                self.init(size: settings.size, rate: settings.rate)
            } else if let camera = cameras.first(where: { $0.role == source }) {
                let stored = camera.crop?.size ?? camera.format.size
                let upright = camera.rotation.swapsSides ? stored.transposed : stored
                self.init(
                    size: FrameSize(width: upright.width / 2 * 2, height: upright.height / 2 * 2),
                    rate: camera.format.rate)
            } else {
                return nil
            }
        }
    }

    /// Name of the live output. The output's cost is listed under this name.
    package var name: String
    /// The kind of live output.
    package var kind: LiveOutputAddress.Kind
    /// The address of the live output, without secrets.
    package var address: String
    /// The source that the live output sends: `program`, or the role of a camera.
    package var source: String
    /// When the live output starts.
    package var start: LiveOutputSettings.Start
    /// Format of the frames produced for this live output; `nil` if the output sends the encoded packets of
    /// the recording, or only audio.
    package var frames: Frames?

    /// Creates a live output. Each parameter sets the property of the same name.
    package init(
        name: String, kind: LiveOutputAddress.Kind, address: String,
        source: String = LiveOutputSettings.program, start: LiveOutputSettings.Start = .recording,
        frames: Frames? = nil
    ) {
        (self.name, self.kind, self.address) = (name, kind, address)
        (self.source, self.start, self.frames) = (source, start, frames)
    }

    /// Settings of the live output's separate encoder, used to estimate its cost; `nil` if the output doesn't
    /// have a separate encoder.
    package var encoder: VideoEncodingSettings? {
        guard let frames, frames.bitrate != nil else { return nil }
        return VideoEncodingSettings(size: frames.size, rate: frames.rate, preset: Self.preset)
    }

    /// Encoder preset for live outputs.
    package static let preset = VideoEncodingSettings.Preset.superfast
}
