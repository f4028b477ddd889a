internal import MulticamMedia
internal import MulticamProfiles

/// Assigns video streams to hardware encoders, in order, until the encoders have no capacity left.
///
/// A stream is assigned to an encoder if the encoder passed its test with frames at least as wide and high,
/// supports another simultaneous stream, and can sustain the combined pixel rate of all its streams.
struct EncoderAssignment {
    /// Fraction of an encoder's measured speed that may be used. The rest is headroom, because frames arrive
    /// at uneven intervals.
    private static let usableShare = 0.9

    private let encoders: [TriedEncoder]
    private var used: [HardwareEncoder: (streams: Int, pixelsPerSecond: Double)] = [:]

    /// Creates an assignment without any streams.
    ///
    /// - Parameter encoders: The encoders that were tested. The first encoder with free capacity is used.
    init(_ encoders: [TriedEncoder]) {
        self.encoders = encoders
    }

    /// The encoder for a stream, and the reason for the choice.
    struct Choice {
        /// Hardware encoder for the stream; `nil` for x264.
        let encoder: HardwareEncoder?
        /// User-readable reason for the choice, including the final period; empty if no hardware encoder was
        /// considered.
        let reason: String
    }

    /// Chooses an encoder for a stream and reserves the capacity that the stream needs.
    mutating func choose(for settings: VideoEncodingSettings, preference: VideoSettings.Encoder) -> Choice {
        guard preference != .software, !encoders.isEmpty else { return Choice(encoder: nil, reason: "") }
        var reasons: [String] = []
        for tried in encoders {
            switch tried.outcome {
            case .fails(let reason): reasons.append(reason)
            case .works(let figures):
                if let obstacle = obstacle(to: settings, on: tried.encoder, figures) {
                    reasons.append("\(tried.encoder.name): \(obstacle)")
                    continue
                }
                var sum = used[tried.encoder] ?? (0, 0)
                sum = (sum.streams + 1, sum.pixelsPerSecond + settings.pixelsPerSecond)
                used[tried.encoder] = sum
                return Choice(
                    encoder: tried.encoder,
                    reason: "\(tried.encoder.device.printable()) passed the encoder test on this computer.")
            }
        }
        return Choice(encoder: nil, reason: reasons.joined(separator: " "))
    }

    private func obstacle(
        to settings: VideoEncodingSettings, on encoder: HardwareEncoder, _ figures: EncoderFigures
    ) -> String? {
        let sum = used[encoder] ?? (0, 0)
        if !figures.covers(settings.size) {
            let sizes = figures.sizes.map(\.description).joined(separator: ", ")
            return "the encoder was tested with \(sizes), but not with \(settings.size) frames."
        }
        if sum.streams >= figures.streams {
            return
                "the encoder supports \(figures.streams) \(figures.streams == 1 ? "stream" : "streams") at a time."
        }
        if sum.pixelsPerSecond + settings.pixelsPerSecond > figures.pixelsPerSecond * Self.usableShare {
            return
                "the encoder does not have enough capacity for another \(settings.size) stream at \(settings.rate) fps."
        }
        return nil
    }
}

extension VideoEncodingSettings {
    /// Pixels per second that this stream's encoder must sustain.
    var pixelsPerSecond: Double { Double(size.pixelCount) * rate.perSecond }
}
