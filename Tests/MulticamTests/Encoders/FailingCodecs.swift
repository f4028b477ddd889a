import Encoding
import Media

/// The usual machinery, whose encoder of one stream fails where it is told to.
final class FailingCodecs: MediaMachinery {
    private let codecs = Codecs()
    private let name: String
    private let made = Monitor(0)
    private let fails: @Sendable (_ number: Int, _ tick: Int64?) -> Bool
    private let successorsDiffer: Bool

    /// - Parameters:
    ///   - name: Of the stream: `program` or a role.
    ///   - successorsDiffer: Whether all encoders of the stream but the first have other parameter sets.
    ///   - fails: Asked with the number of the stream's encoder, 0 for the first, and the tick that it is to encode; `nil`
    ///     when it is made.
    init(
        _ name: String, successorsDiffer: Bool = false,
        failing fails: @escaping @Sendable (_ number: Int, _ tick: Int64?) -> Bool
    ) {
        self.name = name
        self.successorsDiffer = successorsDiffer
        self.fails = fails
    }

    static let failure = EncodingError(subject: "a", operation: "encoding", reason: "it is made to fail")

    func makePictureEncoder(
        _ settings: PictureEncodingSettings, name: String
    ) throws(EncodingError) -> sending any PictureEncoding {
        guard name == self.name else { return try codecs.makePictureEncoder(settings, name: name) }
        let number = made.withLock { made in
            defer { made += 1 }
            return made
        }
        guard !fails(number, nil) else { throw Self.failure }
        let fails = fails
        return FailingEncoder(
            try codecs.makePictureEncoder(settings, name: name),
            hasOtherParameterSets: successorsDiffer && number > 0
        ) { fails(number, $0) }
    }

    private final class FailingEncoder: PictureEncoding {
        private let encoder: any PictureEncoding
        private let fails: (Int64) -> Bool

        let parameters: StreamParameters

        init(
            _ encoder: sending any PictureEncoding, hasOtherParameterSets: Bool,
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

        func encode(_ layers: [PictureLayer], tick: Int64) throws(EncodingError) -> EncodedPictures {
            try check(tick)
            return try encoder.encode(layers, tick: tick)
        }

        func repeatLast(tick: Int64) throws(EncodingError) -> EncodedPictures {
            try check(tick)
            return try encoder.repeatLast(tick: tick)
        }

        func requestKeyPicture() { encoder.requestKeyPicture() }
        func change(to preset: PictureEncodingSettings.Preset) throws(EncodingError) -> [EncodedPacket] {
            try encoder.change(to: preset)
        }
        func finish() throws(EncodingError) -> [EncodedPacket] { try encoder.finish() }
    }

    func makeSoundEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> sending any SoundEncoding {
        try codecs.makeSoundEncoder(channels: channels, bitrate: bitrate, name: name)
    }

    func makeResampler(
        from format: SoundFormat, name: String
    ) throws(EncodingError) -> sending any Resampling { try codecs.makeResampler(from: format, name: name) }

    func makeLoudnessMeter(
        channels: Int, name: String
    ) throws(EncodingError) -> sending any LoudnessMetering {
        try codecs.makeLoudnessMeter(channels: channels, name: name)
    }

    func makePictureDecoder(name: String) throws(EncodingError) -> sending any PictureDecoding {
        try codecs.makePictureDecoder(name: name)
    }

    func makeSlate(like picture: CapturedPicture, caption: SlateCaption) throws(EncodingError) -> SharedBytes
    {
        try codecs.makeSlate(like: picture, caption: caption)
    }

    var slateShortcoming: String? { codecs.slateShortcoming }

    func isWholeJPEG(_ bytes: SharedBytes, size: PictureSize) -> Bool {
        codecs.isWholeJPEG(bytes, size: size)
    }

    func convert(_ picture: CapturedPicture, to pixel: PixelFormat) throws(EncodingError) -> CapturedPicture {
        try codecs.convert(picture, to: pixel)
    }

    func makeStill(of picture: CapturedPicture) throws(EncodingError) -> SharedBytes {
        try codecs.makeStill(of: picture)
    }
}
