public import Media

/// The machinery of a session: x264 and AAC by libavcodec, JPEG by libjpeg-turbo, pixels by libyuv, sound by libswresample,
/// loudness by libebur128.
public struct Codecs: MediaMachinery {
    /// What opens hardware encoders; `nil` for libavcodec's.
    private let open: HardwareOpening?

    private let patience: Nanoseconds

    public init() {
        open = nil
        patience = CoderThread.usualPatience
    }

    /// The same with something in the place of hardware, which may take so long for a picture.
    init(patience: Nanoseconds, opening open: @escaping HardwareOpening) {
        self.open = open
        self.patience = patience
    }

    /// Packets and parameter sets are Annex B. A tick lasts `rate.seconds` of the time scale `rate.pictures`.
    ///
    /// Hardware is rehearsed before this returns, which takes up to a second where it works.
    public func makePictureEncoder(
        _ settings: PictureEncodingSettings, name: String
    ) throws(EncodingError) -> sending any PictureEncoding {
        try ComposedPictureEncoder(settings, name: name, open: open, patience: patience)
    }

    public func makeSoundEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> sending any SoundEncoding {
        try AACEncoder(channels: channels, bitrate: bitrate, name: name)
    }

    public func makeResampler(
        from format: SoundFormat, name: String
    ) throws(EncodingError) -> sending any Resampling {
        try DriftResampler(from: format, name: name)
    }

    public func makeLoudnessMeter(
        channels: Int, name: String
    ) throws(EncodingError) -> sending any LoudnessMetering {
        try LoudnessMeter(channels: channels, name: name)
    }

    public func makePictureDecoder(name: String) throws(EncodingError) -> sending any PictureDecoding {
        try H264Decoder(name: name)
    }

    public func makeSlate(
        like picture: CapturedPicture, caption: SlateCaption
    ) throws(EncodingError) -> SharedBytes {
        try Slate.jpeg(like: picture, caption: caption)
    }

    public var slateShortcoming: String? {
        FontChoice() == nil
            ? "slates will not name their camera, because fontconfig finds no font; install one, for example the package "
                + "fonts-dejavu-core."
            : nil
    }

    public func isWholeJPEG(_ bytes: SharedBytes, size: PictureSize) -> Bool {
        guard let markers = JPEGMarkers(bytes.bytes) else { return false }
        guard markers.size == size else { return false }
        // Some cameras never send an end, so without one only reading all of it tells whether the picture is there.
        return markers.hasEnd || !JPEGDecoder.isDamaged(bytes)
    }

    public func convert(_ picture: CapturedPicture, to pixel: PixelFormat) throws(EncodingError)
        -> CapturedPicture
    {
        try PictureConversion.convert(picture, to: pixel)
    }

    public func makeStill(of picture: CapturedPicture) throws(EncodingError) -> SharedBytes {
        try StillJPEG.bytes(of: picture)
    }
}
