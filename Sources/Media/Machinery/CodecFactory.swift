/// Makes the encoders, decoders, resamplers, meters and images that a session needs.
///
/// The session decides with values and knows no codec; a factory is handed to it.
public protocol CodecFactory: Sendable {
    /// Makes an encoder that composes layers and encodes the result as H.264.
    ///
    /// - Parameters:
    ///   - settings: Both sides of the size must be even.
    ///   - name: The track, for messages.
    /// - Returns: An encoder that no other thread has.
    /// - Throws: `EncodingError` when the codec is missing or refuses the settings.
    func makeVideoEncoder(_ settings: VideoEncodingSettings, name: String)
        throws(EncodingError) -> sending any VideoEncoding

    /// Makes an AAC encoder of audio at the session's rate, 48 kHz.
    ///
    /// - Parameters:
    ///   - channels: 1 or 2.
    ///   - bitrate: Bits per second, 32 000…512 000.
    ///   - name: The track, for messages.
    /// - Returns: An encoder that no other thread has.
    /// - Throws: `EncodingError` when a number is out of its range, or the codec is missing or refuses the settings.
    func makeAudioEncoder(channels: Int, bitrate: Int, name: String)
        throws(EncodingError) -> sending any AudioEncoding

    /// Makes a converter from a device's audio format to the session's rate; the number of channels stays. `name` is the
    /// track, for messages.
    func makeResampler(from format: AudioFormat, name: String) throws(EncodingError) -> sending any Resampling

    /// Makes a loudness meter for audio at the session's rate that no other thread has. `name` is the track, for messages.
    ///
    /// Each of the 1 to 8 `channels` counts once, and a single channel is not counted as if it came from both sides.
    func makeLoudnessMeter(channels: Int, name: String) throws(EncodingError) -> sending any LoudnessMetering

    /// Makes a decoder that turns a stream of H.264 access units into I420 frames with the same capture times. `name` is
    /// the track, for messages.
    func makeVideoDecoder(name: String) throws(EncodingError) -> sending any VideoDecoding

    /// Makes a grey JPEG in the size, sampling and coding of a camera's own, to stand where its frame is missing.
    ///
    /// - Parameters:
    ///   - frame: One of the camera's own JPEGs.
    ///   - caption: The words on the slate.
    /// - Returns: A whole JPEG.
    /// - Throws: `EncodingError` when the frame is no JPEG that can be read.
    func makeSlate(like frame: CapturedFrame, caption: SlateCaption) throws(EncodingError) -> SharedBytes

    /// Why slates will be without words, as a sentence; `nil` when they will have them.
    ///
    /// The first call searches the machine's fonts, which takes tens of milliseconds: make it before a recording, not in
    /// it.
    var slateShortcoming: String? { get }

    /// Whether the bytes are one whole JPEG of that size: markers in order, an end, the size in the headers. On any thread.
    ///
    /// Cheap: only a JPEG without an end is read through, to see whether the end is all that is missing.
    func isWholeJPEG(_ bytes: SharedBytes, size: FrameSize) -> Bool

    /// Converts a frame, or a part of it, to NV12, I420, YUYV or BGRA. On any thread.
    ///
    /// - Parameters:
    ///   - frame: Any frame but of H.264, which has to be decoded first. One that is what is wanted is returned as it is.
    ///   - pixel: `nv12`, `i420`, `yuyv` or `bgra`.
    ///   - part: The part of the stored frame; `nil` for the whole.
    ///   - size: Width and height in pixels, both even, to which the part is scaled; `nil` for the part's own.
    /// - Returns: A frame that owns its memory, or `frame` itself.
    /// - Throws: `EncodingError` for other formats and sizes, for H.264, and for damaged frames.
    func convert(
        _ frame: CapturedFrame, to pixel: PixelFormat, part: FramePart?, size: FrameSize?
    ) throws(EncodingError) -> CapturedFrame

    /// Makes a compositor, which composes layers without encoding them. Used by one thread alone.
    ///
    /// - Parameters:
    ///   - size: Width and height of the composed frames in pixels, both even.
    ///   - color: Colour matrix and range of the composed frames.
    ///   - name: Who wants it, for messages.
    /// - Returns: A compositor that no other thread has.
    /// - Throws: `EncodingError` when memory is short.
    func makeComposer(
        size: FrameSize, color: ColorDescription, name: String
    ) throws(EncodingError) -> sending any FrameComposing

    /// Makes a JPEG of a frame: the camera's own bytes where it is one, else encoded once, at high quality. On any thread.
    ///
    /// - Throws: `EncodingError` for H.264, which has to be decoded first, and for damaged frames.
    func makeStill(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes
}

/// A decoder of a stream whose frames depend on each other. Used by one thread alone.
public protocol VideoDecoding: AnyObject {
    /// Decodes the next frame of the stream.
    ///
    /// - Parameter frame: The frame that follows in the device's count; a jump in `sequence` means that a frame which
    ///   others may need is missing.
    /// - Returns: The frames that became ready, and whether this one is damaged.
    /// - Throws: `EncodingError` when the frame has another pixel format than the stream, or memory is short.
    func decode(_ frame: CapturedFrame) throws(EncodingError) -> DecodedFrames
}

extension CodecFactory {
    /// Converts a whole frame to NV12, I420 or BGRA at its own size; see `convert(_:to:part:size:)`.
    public func convert(_ frame: CapturedFrame, to pixel: PixelFormat) throws(EncodingError) -> CapturedFrame
    {
        try convert(frame, to: pixel, part: nil, size: nil)
    }
}
