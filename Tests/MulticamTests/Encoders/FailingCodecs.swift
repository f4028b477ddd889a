import MulticamEncoding
import MulticamMedia

/// The usual codecs, except that the encoder of one stream fails when a test requires it.
final class FailingCodecs: CodecFactory {
    private let codecs = Codecs()
    private let name: String
    private let made = ConditionLock(0)
    private let fails: @Sendable (_ number: Int, _ tick: Int64?) -> Bool
    private let successorsDiffer: Bool

    /// - Parameters:
    ///   - name: Name of the stream: `program` or a role.
    ///   - successorsDiffer: Whether all encoders of the stream except the first have other parameter sets.
    ///   - fails: Called with the number of the stream's encoder, starting at 0, and the tick to encode. The
    ///     tick is `nil` when the encoder is created.
    init(
        _ name: String, successorsDiffer: Bool = false,
        failing fails: @escaping @Sendable (_ number: Int, _ tick: Int64?) -> Bool
    ) {
        self.name = name
        self.successorsDiffer = successorsDiffer
        self.fails = fails
    }

    static let failure = EncodingError(subject: "a", operation: "encoding", reason: "it is made to fail")

    func makeVideoEncoder(
        _ settings: VideoEncodingSettings, name: String
    ) throws(EncodingError) -> sending any VideoEncoding {
        guard name == self.name else { return try codecs.makeVideoEncoder(settings, name: name) }
        let number = made.withLock { made in
            defer { made += 1 }
            return made
        }
        guard !fails(number, nil) else { throw Self.failure }
        let fails = fails
        return FailingEncoder(
            try codecs.makeVideoEncoder(settings, name: name),
            hasOtherParameterSets: successorsDiffer && number > 0
        ) { fails(number, $0) }
    }

    private final class FailingEncoder: VideoEncoding {
        private let encoder: any VideoEncoding
        private let fails: (Int64) -> Bool

        let parameters: StreamParameters

        init(
            _ encoder: sending any VideoEncoding, hasOtherParameterSets: Bool,
            failing fails: @escaping (Int64) -> Bool
        ) {
            let known = encoder.parameters
            parameters =
                hasOtherParameterSets
                ? StreamParameters(
                    codec: known.codec, timeScale: known.timeScale,
                    setup: known.setup + [0, 0, 1, 0x68, 0x80],
                    size: known.size, rate: known.rate, color: known.color) : known
            self.encoder = encoder
            self.fails = fails
        }

        private func check(_ tick: Int64) throws(EncodingError) {
            if fails(tick) { throw FailingCodecs.failure }
        }

        func encode(_ layers: [FrameLayer], tick: Int64) throws(EncodingError) -> EncodedFrames {
            try check(tick)
            return try encoder.encode(layers, tick: tick)
        }

        func repeatLast(tick: Int64) throws(EncodingError) -> EncodedFrames {
            try check(tick)
            return try encoder.repeatLast(tick: tick)
        }

        func requestKeyFrame() { encoder.requestKeyFrame() }
        func changePreset(to preset: VideoEncodingSettings.Preset) throws(EncodingError) -> [EncodedPacket] {
            try encoder.changePreset(to: preset)
        }
        func finish(unless isAbandoned: () -> Bool) throws(EncodingError) -> [EncodedPacket] {
            try encoder.finish(unless: isAbandoned)
        }
    }

    func makeAudioEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> sending any AudioEncoding {
        try codecs.makeAudioEncoder(channels: channels, bitrate: bitrate, name: name)
    }

    func makeResampler(
        from format: AudioFormat, name: String
    ) throws(EncodingError) -> sending any Resampling { try codecs.makeResampler(from: format, name: name) }

    func makeLoudnessMeter(
        channels: Int, name: String
    ) throws(EncodingError) -> sending any LoudnessMetering {
        try codecs.makeLoudnessMeter(channels: channels, name: name)
    }

    func makeSoundFilters(
        _ processing: SoundProcessing, channels: Int, name: String
    ) throws(EncodingError) -> sending any SoundFiltering {
        try codecs.makeSoundFilters(processing, channels: channels, name: name)
    }

    func makeVideoDecoder(name: String) throws(EncodingError) -> sending any VideoDecoding {
        try codecs.makeVideoDecoder(name: name)
    }

    func makeSlate(like frame: CapturedFrame, caption: SlateCaption) throws(EncodingError) -> SharedBytes {
        try codecs.makeSlate(like: frame, caption: caption)
    }

    var slateTextProblem: String? { codecs.slateTextProblem }

    func isWholeJPEG(_ bytes: SharedBytes, size: FrameSize) -> Bool {
        codecs.isWholeJPEG(bytes, size: size)
    }

    func convert(
        _ frame: CapturedFrame, to pixel: PixelFormat, part: FramePart?, size: FrameSize?
    ) throws(EncodingError) -> CapturedFrame {
        try codecs.convert(frame, to: pixel, part: part, size: size)
    }

    func makeComposer(
        size: FrameSize, color: ColorDescription, name: String
    ) throws(EncodingError) -> sending any FrameComposing {
        try codecs.makeComposer(size: size, color: color, name: name)
    }

    func makeStill(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes {
        try codecs.makeStill(of: frame)
    }
}
