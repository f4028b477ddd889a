internal import Media
internal import Profiles

/// The assignment of encoded streams to hardware encoders, in order, as long as those have room. Pure.
///
/// An encoder gets a stream if it passed its trial with frames at least as wide and high, takes one stream more, and sustains
/// the pixels of all its streams together.
struct EncoderAssignment {
    /// The share of an encoder's measured speed that is used, since frames do not come evenly.
    private static let usableShare = 0.9

    private let encoders: [TriedEncoder]
    private var used: [HardwareEncoder: (streams: Int, pixelsPerSecond: Double)] = [:]

    /// Creates an assignment in which all encoders are free.
    ///
    /// - Parameter encoders: The encoders that were tried; the first with room is taken.
    init(_ encoders: [TriedEncoder]) {
        self.encoders = encoders
    }

    /// The encoder of a stream, and why.
    struct Choice {
        /// The hardware encoder of the stream; `nil` for x264.
        let encoder: HardwareEncoder?
        /// The reason for people, as a sentence's end with its full stop; empty where there is nothing to choose.
        let reason: String
    }

    /// Chooses the encoder of a stream, and reserves its room there.
    mutating func choose(for settings: VideoEncodingSettings, wish: VideoSettings.Encoder) -> Choice {
        guard wish != .software, !encoders.isEmpty else { return Choice(encoder: nil, reason: "") }
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
                    reason: "\(tried.encoder.device.printable()) passed its trial here.")
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
            return "it was tried with \(sizes), and not with frames as large as \(settings.size)."
        }
        if sum.streams >= figures.streams {
            return "it takes \(figures.streams) \(figures.streams == 1 ? "stream" : "streams") at once."
        }
        if sum.pixelsPerSecond + settings.pixelsPerSecond > figures.pixelsPerSecond * Self.usableShare {
            return "it has no room for another \(settings.size) at \(settings.rate)."
        }
        return nil
    }
}

extension VideoEncodingSettings {
    /// Pixels per second that the encoder of this stream has to sustain.
    var pixelsPerSecond: Double { Double(size.pixelCount) * rate.perSecond }
}
