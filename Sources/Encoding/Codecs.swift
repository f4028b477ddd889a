public import Media

/// The machinery of a session: x264 and AAC by libavcodec, JPEG by libjpeg-turbo, pixels by libyuv, audio by libswresample,
/// loudness by libebur128.
public struct Codecs: CodecFactory {
    /// What opens hardware encoders; `nil` for libavcodec's.
    private let open: HardwareOpening?

    private let patience: Nanoseconds

    public init() {
        open = nil
        patience = CoderThread.usualPatience
    }

    /// The same with something in the place of hardware, which may take so long for a frame.
    init(patience: Nanoseconds, opening open: @escaping HardwareOpening) {
        self.open = open
        self.patience = patience
    }

    /// Packets and parameter sets are Annex B. A tick lasts `rate.seconds` of the time scale `rate.frames`.
    ///
    /// Hardware is rehearsed before this returns, which takes up to a second where it works.
    public func makeVideoEncoder(
        _ settings: VideoEncodingSettings, name: String
    ) throws(EncodingError) -> sending any VideoEncoding {
        try ComposedVideoEncoder(settings, name: name, open: open, patience: patience)
    }

    public func makeAudioEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> sending any AudioEncoding {
        try AACEncoder(channels: channels, bitrate: bitrate, name: name)
    }

    public func makeResampler(
        from format: AudioFormat, name: String
    ) throws(EncodingError) -> sending any Resampling {
        try DriftResampler(from: format, name: name)
    }

    public func makeLoudnessMeter(
        channels: Int, name: String
    ) throws(EncodingError) -> sending any LoudnessMetering {
        try LoudnessMeter(channels: channels, name: name)
    }

    public func makeVideoDecoder(name: String) throws(EncodingError) -> sending any VideoDecoding {
        try H264Decoder(name: name)
    }

    public func makeSlate(
        like frame: CapturedFrame, caption: SlateCaption
    ) throws(EncodingError) -> SharedBytes {
        try Slate.jpeg(like: frame, caption: caption)
    }

    public var slateShortcoming: String? {
        FontChoice() == nil
            ? "slates will not name their camera, because fontconfig finds no font; install one, for example the package "
                + "fonts-dejavu-core."
            : nil
    }

    public func isWholeJPEG(_ bytes: SharedBytes, size: FrameSize) -> Bool {
        guard let markers = JPEGMarkers(bytes.bytes) else { return false }
        guard markers.size == size else { return false }
        // Some cameras never send an end, so without one only reading all of it tells whether the frame is there.
        return markers.hasEnd || !JPEGDecoder.isDamaged(bytes)
    }

    public func convert(_ frame: CapturedFrame, to pixel: PixelFormat) throws(EncodingError)
        -> CapturedFrame
    {
        try FrameConversion.convert(frame, to: pixel)
    }

    public func makeStill(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes {
        try StillJPEG.bytes(of: frame)
    }
}
