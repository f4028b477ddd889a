import Encoding
import Media

/// The usual machinery, but for its encoders of sound, which fail where a test says so.
struct BrokenSoundMachinery: MediaMachinery {
    private final class Encoder: SoundEncoding {
        private let encoder: any SoundEncoding
        private let fails: (Int) -> Bool
        private var calls = 0

        init(_ encoder: any SoundEncoding, fails: @escaping (Int) -> Bool) {
            self.encoder = encoder
            self.fails = fails
        }

        var parameters: StreamParameters { encoder.parameters }

        func encode(_ samples: [Float]) throws(EncodingError) -> [EncodedPacket] {
            calls += 1
            if fails(calls) {
                throw EncodingError(
                    subject: "program", operation: "avcodec_send_frame", reason: "Invalid argument")
            }
            return try encoder.encode(samples)
        }

        func finish() throws(EncodingError) -> [EncodedPacket] { try encoder.finish() }
    }

    private let codecs = Codecs()
    private let made = Monitor(0)
    private let fails: @Sendable (_ encoder: Int, _ call: Int) -> Bool

    /// - Parameter fails: Whether an encoder fails at a call, both counted from 1.
    init(fails: @escaping @Sendable (_ encoder: Int, _ call: Int) -> Bool) { self.fails = fails }

    func makeSoundEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> sending any SoundEncoding {
        let number = made.withLock { made in
            made += 1
            return made
        }
        let fails = fails
        return Encoder(try codecs.makeSoundEncoder(channels: channels, bitrate: bitrate, name: name)) {
            fails(number, $0)
        }
    }

    func makePictureEncoder(
        _ settings: PictureEncodingSettings, name: String
    ) throws(EncodingError) -> sending any PictureEncoding {
        try codecs.makePictureEncoder(settings, name: name)
    }

    func makeResampler(from format: SoundFormat, name: String) throws(EncodingError) -> sending any Resampling
    {
        try codecs.makeResampler(from: format, name: name)
    }

    func makeLoudnessMeter(
        channels: Int, name: String
    ) throws(EncodingError) -> sending any LoudnessMetering {
        try codecs.makeLoudnessMeter(channels: channels, name: name)
    }

    func makePictureDecoder(name: String) throws(EncodingError) -> sending any PictureDecoding {
        try codecs.makePictureDecoder(name: name)
    }

    func makeSlate(
        like picture: CapturedPicture, caption: SlateCaption
    ) throws(EncodingError) -> SharedBytes { try codecs.makeSlate(like: picture, caption: caption) }

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
