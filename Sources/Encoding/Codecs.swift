public import Media

/// The codecs of a session: x264, hardware encoders and AAC by libavcodec, JPEG by libjpeg-turbo, pixel conversion by
/// libyuv, resampling by libswresample, loudness by libebur128.
public struct Codecs: CodecFactory {
    /// Opens hardware encoders; `nil` uses libavcodec's.
    private let open: HardwareOpening?

    private let patience: Nanoseconds

    /// Makes the factory with libavcodec's hardware encoders.
    public init() {
        open = nil
        patience = CoderThread.usualPatience
    }

    /// Makes a factory whose hardware encoders are replaced, for tests.
    ///
    /// - Parameters:
    ///   - patience: Longest time that the replacement may take for a frame.
    ///   - open: Opens the replacement.
    init(patience: Nanoseconds, opening open: @escaping HardwareOpening) {
        self.open = open
        self.patience = patience
    }

    /// Makes an encoder that composes layers and encodes them as H.264. Packets and parameter sets are Annex B. A tick
    /// lasts `rate.seconds` of the time scale `rate.frames`.
    ///
    /// Hardware is rehearsed before this returns, which takes up to a second where it works.
    ///
    /// - Parameters:
    ///   - settings: Size, rate, quality and encoder; both sides of the size must be even.
    ///   - name: The track, for messages.
    /// - Returns: An encoder that no other thread has.
    /// - Throws: When a side is odd, x264 is missing or refuses the settings, memory is short, or required hardware
    ///   refuses the stream.
    public func makeVideoEncoder(
        _ settings: VideoEncodingSettings, name: String
    ) throws(EncodingError) -> sending any VideoEncoding {
        try ComposedVideoEncoder(settings, name: name, open: open, patience: patience)
    }

    /// Makes an AAC-LC encoder at the session's rate.
    ///
    /// - Parameters:
    ///   - channels: 1 or 2.
    ///   - bitrate: Bits per second of all channels, 32 000…512 000.
    ///   - name: The track, for messages.
    /// - Returns: An encoder that no other thread has.
    /// - Throws: When a number is out of range, or the codec is missing or refuses the settings.
    public func makeAudioEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> sending any AudioEncoding {
        try AACEncoder(channels: channels, bitrate: bitrate, name: name)
    }

    /// Makes a resampler from a device's format to the session's rate; the number of channels stays.
    ///
    /// - Parameters:
    ///   - format: 1 to 8 channels at 8000 to 192 000 Hz.
    ///   - name: The track, for messages.
    /// - Returns: A resampler that no other thread has.
    /// - Throws: When `format` is out of range, or memory is short.
    public func makeResampler(
        from format: AudioFormat, name: String
    ) throws(EncodingError) -> sending any Resampling {
        try DriftResampler(from: format, name: name)
    }

    /// Makes a loudness meter at the session's rate.
    ///
    /// - Parameters:
    ///   - channels: 1 to 8; each counts once.
    ///   - name: The track, for messages.
    /// - Returns: A meter that no other thread has.
    /// - Throws: When `channels` is out of range, or memory is short.
    public func makeLoudnessMeter(
        channels: Int, name: String
    ) throws(EncodingError) -> sending any LoudnessMetering {
        try LoudnessMeter(channels: channels, name: name)
    }

    /// Makes a decoder that turns H.264 access units into I420 frames with the same capture times.
    ///
    /// - Parameter name: The track, for messages.
    /// - Returns: A decoder that no other thread has.
    /// - Throws: When libavcodec has no H.264 decoder, or memory is short.
    public func makeVideoDecoder(name: String) throws(EncodingError) -> sending any VideoDecoding {
        try H264Decoder(name: name)
    }

    /// Makes a JPEG of the same size, sampling and coding as a camera's own, to stand where a frame is missing.
    ///
    /// - Parameters:
    ///   - frame: One of the camera's JPEG frames.
    ///   - caption: The words on the slate.
    /// - Returns: A whole JPEG.
    /// - Throws: When the frame is no JPEG that can be read.
    public func makeSlate(
        like frame: CapturedFrame, caption: SlateCaption
    ) throws(EncodingError) -> SharedBytes {
        try Slate.jpeg(like: frame, caption: caption)
    }

    /// The reason why slates will lack their words, as a sentence; `nil` when a font is found.
    ///
    /// The first call of a process reads fontconfig's files, which takes tens of milliseconds.
    public var slateShortcoming: String? {
        FontChoice() == nil
            ? "slates will not name their camera, because fontconfig finds no font; install one, for example the package "
                + "fonts-dejavu-core."
            : nil
    }

    /// Whether the bytes are one whole JPEG of the given size. Only a JPEG without an end marker is decoded, to see
    /// whether more is missing. On any thread.
    public func isWholeJPEG(_ bytes: SharedBytes, size: FrameSize) -> Bool {
        guard let markers = JPEGMarkers(bytes.bytes) else { return false }
        guard markers.size == size else { return false }
        // Some cameras never send an end, so without one only reading all of it tells whether the frame is there.
        return markers.hasEnd || !JPEGDecoder.isDamaged(bytes)
    }

    /// Converts a frame, or a part of it, to another pixel format and size.
    ///
    /// - Parameters:
    ///   - frame: A frame of any pixel format but H.264.
    ///   - pixel: `nv12`, `i420`, `yuyv` or `bgra`.
    ///   - part: The part of the stored frame; `nil` for the whole.
    ///   - size: Width and height in pixels, both even, to which the part is scaled; `nil` for the part's own.
    /// - Returns: A frame that owns its memory, or `frame` itself where it is what is wanted.
    /// - Throws: When `pixel` is another format or the size cannot be made, or the frame is damaged or H.264.
    public func convert(
        _ frame: CapturedFrame, to pixel: PixelFormat, part: FramePart?, size: FrameSize?
    ) throws(EncodingError) -> CapturedFrame {
        try FrameConversion.convert(frame, to: pixel, part: part, size: size)
    }

    /// Makes a compositor that composes layers without encoding them.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels, both even.
    ///   - color: Colour matrix and range of the composed frames.
    ///   - name: Who wants it, for messages.
    /// - Returns: A compositor that no other thread has.
    /// - Throws: When a side is odd or not positive.
    public func makeComposer(
        size: FrameSize, color: ColorDescription, name: String
    ) throws(EncodingError) -> sending any FrameComposing {
        try FrameComposer(size: size, color: color, name: name)
    }

    /// Makes a JPEG of a frame: a camera's own bytes where they are JPEG, else encoded at quality 95. On any thread.
    ///
    /// - Throws: When the frame is damaged, or is H.264, which has to be decoded first.
    public func makeStill(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes {
        try StillJPEG.bytes(of: frame)
    }
}
