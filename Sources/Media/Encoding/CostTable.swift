/// Measured CPU time for each kind of work on a machine.
package struct CostTable: Sendable, Equatable, Codable {
    /// CPU time of one work item: a fixed part plus a part per unit (a pixel, a sample, or a byte).
    package struct Entry: Sendable, Equatable, Codable {
        /// Fixed cost of a work item in nanoseconds, regardless of its size.
        package var nanosecondsPerPiece: Double
        /// Cost in nanoseconds per unit: a pixel, a sample, or a byte.
        package var nanosecondsPerUnit: Double

        private enum CodingKeys: String, CodingKey {
            case nanosecondsPerPiece = "nanoseconds_per_piece"
            case nanosecondsPerUnit = "nanoseconds_per_unit"
        }

        /// Creates a cost entry from the cost per work item and the cost per unit, in nanoseconds.
        package init(nanosecondsPerPiece: Double, nanosecondsPerUnit: Double) {
            self.nanosecondsPerPiece = nanosecondsPerPiece
            self.nanosecondsPerUnit = nanosecondsPerUnit
        }

        /// Decodes the entry that `encode` writes.
        ///
        /// - Throws: `DecodingError` for a time below zero or above 10¹⁵ ns (eleven days), for example in an
        ///   edited file. Such values would break later computations.
        package init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            nanosecondsPerPiece = try values.decode(Double.self, forKey: .nanosecondsPerPiece)
            nanosecondsPerUnit = try values.decode(Double.self, forKey: .nanosecondsPerUnit)
            guard [nanosecondsPerPiece, nanosecondsPerUnit].allSatisfy({ (0...1e15).contains($0) }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .nanosecondsPerPiece, in: values,
                    debugDescription:
                        "invalid cost: \(nanosecondsPerPiece) ns per work item and \(nanosecondsPerUnit) ns per unit"
                )
            }
        }

        /// Returns the time in nanoseconds of one work item with this number of units.
        package func nanoseconds(units: Double) -> Double { nanosecondsPerPiece + units * nanosecondsPerUnit }
    }

    /// Level of detail in frames, which affects the cost of encoding and decoding.
    package enum Detail: String, Sendable, Codable, CaseIterable {
        /// Synthetic frames with areas of uniform color.
        case plain
        /// Camera frames with textures and sensor noise.
        case photographic
    }

    /// Costs for plain frames, and for all work that doesn't depend on detail.
    package var plain: [WorkKind: Entry]
    /// Costs of detail-dependent work for photographic frames.
    package var photographic: [WorkKind: Entry]

    /// Processor time of the detection of faces in a gray image divided by the time of scaling an image with the same
    /// number of pixels. The detector belongs to another process, which isn't measured on each machine; both kinds of
    /// work consist of vectorized operations on pixels.
    private static let analysisByScaling = 520.0

    /// Creates a cost table from the costs for plain frames and for photographic frames.
    package init(plain: [WorkKind: Entry], photographic: [WorkKind: Entry]) {
        self.plain = plain
        self.photographic = photographic
    }

    /// Returns the cost of a kind of work; `nil` if it hasn't been measured.
    package func entry(_ kind: WorkKind, _ detail: Detail) -> Entry? {
        if kind == .analyze {
            return plain[.scale].map {
                Entry(
                    nanosecondsPerPiece: 0,
                    nanosecondsPerUnit: $0.nanosecondsPerUnit * Self.analysisByScaling)
            }
        }
        return detail == .photographic && kind.dependsOnDetail ? photographic[kind] : plain[kind]
    }
}

/// Kinds of CPU work in a recording that have a significant cost.
package enum WorkKind: String, Sendable, Hashable, Codable, CodingKeyRepresentable {
    /// Decoding a JPEG at one eighth of its size; cost per pixel of the full-size JPEG, because the decoder
    /// reads the entire JPEG.
    case decodeJPEG1 = "decode-jpeg-1/8"
    /// Decoding a JPEG at two eighths of its size; cost per pixel of the full-size JPEG.
    case decodeJPEG2 = "decode-jpeg-2/8"
    /// Decoding a JPEG at three eighths of its size; cost per pixel of the full-size JPEG.
    case decodeJPEG3 = "decode-jpeg-3/8"
    /// Decoding a JPEG at half its size; cost per pixel of the full-size JPEG.
    case decodeJPEG4 = "decode-jpeg-4/8"
    /// Decoding a JPEG at full size; cost per pixel.
    case decodeJPEG8 = "decode-jpeg"
    /// Decoding an H.264 frame; cost per pixel.
    case decodeH264 = "decode-h264"
    /// Converting a raw frame from another chroma subsampling to 4:2:0; cost per pixel.
    case unpack
    /// Scaling a frame to another size; cost per pixel of the input and of the output.
    case scale
    /// Rotating or mirroring a frame; cost per pixel.
    case turn
    /// Converting a frame to another color matrix or range; cost per pixel.
    case recolor
    /// Encoding with x264 at the preset `ultrafast`; cost per pixel.
    case encodeUltrafast = "encode-ultrafast"
    /// Encoding with x264 at the preset `balanced`; cost per pixel.
    case encodeBalanced = "encode-balanced"
    /// Encoding with x264 at the preset `superfast`; cost per pixel.
    case encodeSuperfast = "encode-superfast"
    /// Encoding with x264 at the preset `veryfast`; cost per pixel.
    case encodeVeryfast = "encode-veryfast"
    /// Encoding AAC; cost per sample and channel. Beeps and silence cost one third as much as speech in a
    /// room.
    case encodeAudio = "encode-sound"
    /// Converting audio to the session's rate and clock; cost per sample and channel of the device.
    case resample
    /// Checking, queuing, and copying data to be written to a file; cost per byte.
    case store
    /// Searching a gray image for faces and codes; cost per pixel, derived from `scale`.
    case analyze
    /// Waking a thread for a frame or a slice of audio. The cost doesn't depend on the amount of data.
    case deliver

    /// Creates the kind of work for decoding a JPEG at a scale.
    package init(_ scale: JPEGScale) {
        self =
            switch scale.eighths {
            case 1: .decodeJPEG1
            case 2: .decodeJPEG2
            case 3: .decodeJPEG3
            case 4: .decodeJPEG4
            default: .decodeJPEG8
            }
    }

    /// Creates the kind of work for encoding with an x264 preset.
    package init(_ preset: VideoEncodingSettings.Preset) {
        self =
            switch preset {
            case .ultrafast: .encodeUltrafast
            case .balanced: .encodeBalanced
            case .superfast: .encodeSuperfast
            case .veryfast: .encodeVeryfast
            }
    }

    /// Whether the work costs more for frames or audio with more detail.
    package var dependsOnDetail: Bool {
        switch self {
        case .decodeJPEG1, .decodeJPEG2, .decodeJPEG3, .decodeJPEG4, .decodeJPEG8, .decodeH264,
            .encodeUltrafast,
            .encodeBalanced, .encodeSuperfast, .encodeVeryfast, .encodeAudio:
            true
        case .unpack, .scale, .turn, .recolor, .resample, .store, .analyze, .deliver: false
        }
    }
}

extension WorkKind: CaseIterable {
    /// All kinds of work that are measured. The cost of `analyze` is derived.
    package static let allCases: [WorkKind] = [
        .decodeJPEG1, .decodeJPEG2, .decodeJPEG3, .decodeJPEG4, .decodeJPEG8, .decodeH264, .unpack, .scale,
        .turn, .recolor, .encodeUltrafast, .encodeBalanced, .encodeSuperfast, .encodeVeryfast, .encodeAudio,
        .resample, .store, .deliver,
    ]
}
