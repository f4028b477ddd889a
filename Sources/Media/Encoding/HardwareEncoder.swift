/// Identifier of a hardware H.264 encoder found on this computer.
///
/// Only a trial reveals the encoder's capabilities (`TriedEncoder`).
package struct HardwareEncoder: Sendable, Hashable, Codable {
    /// libavcodec's name for the encoder: `h264_nvenc`, `h264_vaapi`, `h264_v4l2m2m`.
    package var library: String
    /// Device node of the encoder: `/dev/dri/renderD128`, `/dev/nvidia0`, `/dev/video11`.
    package var node: String
    /// Readable name of the graphics card or other encoder device.
    package var device: String
    /// Name and version of the driver, if the system reports them. Trial results apply only to this driver
    /// version.
    package var driver: String

    /// Creates an encoder identifier from its parts.
    package init(library: String, node: String, device: String, driver: String) {
        self.library = library
        self.node = node
        self.device = device
        self.driver = driver
    }

    /// The encoder and its device node in printable form: `h264_vaapi on /dev/dri/renderD128`.
    package var name: String { "\(library) on \(node)".printable() }
}

/// A hardware encoder and its trial result on this computer.
package struct TriedEncoder: Sendable, Equatable, Codable {
    /// Result of a trial.
    package enum Outcome: Sendable, Equatable, Codable {
        /// The encoder met all requirements of a recording.
        case works(figures: EncoderFigures)
        /// The encoder isn't used; `reason` is the end of a sentence, including the period.
        case fails(reason: String)
    }

    /// The tested encoder.
    package var encoder: HardwareEncoder
    /// Result of the trial.
    package var outcome: Outcome

    /// Creates a record of a trial.
    package init(encoder: HardwareEncoder, outcome: Outcome) {
        self.encoder = encoder
        self.outcome = outcome
    }

    /// Measured performance of the encoder; `nil` if the encoder failed the trial.
    package var figures: EncoderFigures? {
        if case .works(let figures) = outcome { figures } else { nil }
    }
}

/// Performance of a hardware encoder, measured in its trial.
package struct EncoderFigures: Sendable, Equatable, Codable {
    /// Frame sizes that the encoder handled correctly in the trial. The encoder isn't used for larger frames.
    package var sizes: [FrameSize]
    /// Sustained throughput in pixels per second, across all of its streams.
    package var pixelsPerSecond: Double
    /// Number of streams that the encoder handled simultaneously; at most the number of streams tested.
    package var streams: Int
    /// CPU time per frame for copying data and for work in the driver. The cost is calculated per pixel.
    package var processor: CostTable.Entry
    /// Lowest luma PSNR of any frame in decibels, at quality 23.
    package var lowestPSNR: Double
    /// Whether the encoder's streams lack color metadata, in which case multicam adds the metadata.
    package var lacksColorTags: Bool

    private enum CodingKeys: String, CodingKey {
        case sizes
        case pixelsPerSecond = "pixels_per_second"
        case streams, processor
        case lowestPSNR = "lowest_psnr"
        case lacksColorTags = "lacks_color_tags"
    }

    /// Creates performance figures from the results of a trial.
    package init(
        sizes: [FrameSize], pixelsPerSecond: Double, streams: Int, processor: CostTable.Entry,
        lowestPSNR: Double, lacksColorTags: Bool
    ) {
        self.sizes = sizes
        self.pixelsPerSecond = pixelsPerSecond
        self.streams = streams
        self.processor = processor
        self.lowestPSNR = lowestPSNR
        self.lacksColorTags = lacksColorTags
    }

    /// Whether the encoder handled frames at least this wide and this high in the trial.
    package func covers(_ size: FrameSize) -> Bool {
        sizes.contains { $0.width >= size.width && $0.height >= size.height }
    }
}

/// Fallback from a hardware encoder to x264, because the hardware rejected the stream or failed during
/// encoding.
package struct EncoderFallback: Sendable, Equatable {
    /// The hardware encoder that was intended for the stream.
    package let from: HardwareEncoder
    /// Reason why x264 is used instead, as the end of a sentence, including the period.
    package let reason: String
    /// First tick that x264 encoded; `nil` if the hardware encoder never started.
    package let tick: Int64?
    /// Number of frames, not counting duplicates, that were lost inside the hardware encoder. The lost frames
    /// are replaced with duplicates of the next frame.
    package let lostFrames: Int

    /// Creates a record of the fallback. Omit the tick if the fallback occurred before the first frame.
    package init(from: HardwareEncoder, reason: String, tick: Int64? = nil, lostFrames: Int = 0) {
        self.from = from
        self.reason = reason
        self.tick = tick
        self.lostFrames = lostFrames
    }
}
