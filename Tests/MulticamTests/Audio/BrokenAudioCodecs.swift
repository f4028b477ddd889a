import MulticamEncoding
import MulticamMedia

/// The usual codecs, except that audio encoders and filters fail when a test requires it.
struct BrokenAudioCodecs: CodecFactory {
    private final class Encoder: AudioEncoding {
        private let encoder: any AudioEncoding
        private let fails: (Int) -> Bool
        private var calls = 0

        init(_ encoder: any AudioEncoding, fails: @escaping (Int) -> Bool) {
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

    /// Filters that pass the audio on with a delay of one block, and fail from a call on.
    private final class Filters: SoundFiltering {
        let latency = 960
        private let lastCall: Int
        private var calls = 0
        private var held: [Float] = []

        init(lastCall: Int) { self.lastCall = lastCall }

        func filter(_ samples: [Float]) throws(EncodingError) -> [Float] {
            calls += 1
            if calls > lastCall {
                throw EncodingError(subject: "host", operation: "filtering", reason: "invalid samples")
            }
            defer { held = samples }
            return held
        }
    }

    private let codecs = Codecs()
    /// Number of calls after which filters fail; `nil` for working filters.
    var lastFilterCall: Int? = nil
    private let made = ConditionLock(0)
    private let fails: @Sendable (_ encoder: Int, _ call: Int) -> Bool

    /// - Parameter fails: Returns whether an encoder fails at a call. Both numbers start at 1.
    init(fails: @escaping @Sendable (_ encoder: Int, _ call: Int) -> Bool) { self.fails = fails }

    func makeAudioEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> sending any AudioEncoding {
        let number = made.withLock { made in
            made += 1
            return made
        }
        let fails = fails
        return Encoder(try codecs.makeAudioEncoder(channels: channels, bitrate: bitrate, name: name)) {
            fails(number, $0)
        }
    }

    func makeVideoEncoder(
        _ settings: VideoEncodingSettings, name: String
    ) throws(EncodingError) -> sending any VideoEncoding {
        try codecs.makeVideoEncoder(settings, name: name)
    }

    func makeResampler(from format: AudioFormat, name: String) throws(EncodingError) -> sending any Resampling
    {
        try codecs.makeResampler(from: format, name: name)
    }

    func makeLoudnessMeter(
        channels: Int, name: String
    ) throws(EncodingError) -> sending any LoudnessMetering {
        try codecs.makeLoudnessMeter(channels: channels, name: name)
    }

    func makeSoundFilters(
        _ processing: SoundProcessing, channels: Int, name: String
    ) throws(EncodingError) -> sending any SoundFiltering {
        if let lastFilterCall { return Filters(lastCall: lastFilterCall) }
        return try codecs.makeSoundFilters(processing, channels: channels, name: name)
    }

    func makeVideoDecoder(name: String) throws(EncodingError) -> sending any VideoDecoding {
        try codecs.makeVideoDecoder(name: name)
    }

    func makeSlate(
        like frame: CapturedFrame, caption: SlateCaption
    ) throws(EncodingError) -> SharedBytes { try codecs.makeSlate(like: frame, caption: caption) }

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
