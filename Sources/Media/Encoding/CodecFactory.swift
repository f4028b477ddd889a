/// Creates the encoders, decoders, resamplers, meters, and images that a session needs.
///
/// A factory is passed to each session when the session is created, so sessions don't depend on any
/// particular codec.
package protocol CodecFactory: Sendable {
    /// Creates an encoder that composes layers and encodes the result as H.264.
    ///
    /// - Parameters:
    ///   - settings: The encoding settings; width and height must be even.
    ///   - name: Name of the track, for messages.
    /// - Returns: An encoder that isn't shared with other threads.
    /// - Throws: `EncodingError` if the codec is missing or rejects the settings.
    func makeVideoEncoder(_ settings: VideoEncodingSettings, name: String)
        throws(EncodingError) -> sending any VideoEncoding

    /// Creates an AAC encoder for audio at the session's rate, 48 kHz.
    ///
    /// - Parameters:
    ///   - channels: The number of channels, 1 or 2.
    ///   - bitrate: Bits per second, 32 000…512 000.
    ///   - name: Name of the track, for messages.
    /// - Returns: An encoder that isn't shared with other threads.
    /// - Throws: `EncodingError` if an argument is out of range, or if the codec is missing or rejects the
    ///   settings.
    func makeAudioEncoder(channels: Int, bitrate: Int, name: String)
        throws(EncodingError) -> sending any AudioEncoding

    /// Creates a converter from a device's audio format to the session's rate with the same number of
    /// channels. `name` is the track's name, for messages.
    func makeResampler(from format: AudioFormat, name: String) throws(EncodingError) -> sending any Resampling

    /// Creates a loudness meter, not shared with other threads, for audio at the session's rate. `name` is
    /// the track's name, for messages.
    ///
    /// Each of the 1 to 8 `channels` has weight 1; a single channel isn't counted as dual mono.
    func makeLoudnessMeter(channels: Int, name: String) throws(EncodingError) -> sending any LoudnessMetering

    /// Creates filters, not shared with other threads, for audio at the session's rate with 1 or 2 `channels`. `name` is the
    /// name of the microphone or of the mix, for messages.
    ///
    /// The first call for a processing takes several milliseconds, because the delay of the filters is measured.
    func makeSoundFilters(_ processing: SoundProcessing, channels: Int, name: String)
        throws(EncodingError) -> sending any SoundFiltering

    /// Creates a decoder that converts a stream of H.264 access units into I420 frames with the same capture
    /// times. `name` is the track's name, for messages.
    func makeVideoDecoder(name: String) throws(EncodingError) -> sending any VideoDecoding

    /// Creates a gray JPEG with the size, sampling, and coding of the camera's own JPEGs, to replace a
    /// missing frame.
    ///
    /// - Parameters:
    ///   - frame: One of the camera's own JPEGs.
    ///   - caption: The text on the slate.
    /// - Returns: A complete JPEG.
    /// - Throws: `EncodingError` if the frame isn't a readable JPEG.
    func makeSlate(like frame: CapturedFrame, caption: SlateCaption) throws(EncodingError) -> SharedBytes

    /// Reason why slates can't show text, as a sentence; `nil` if slates can show text.
    ///
    /// The first access searches the system's fonts, which takes tens of milliseconds. Access this property
    /// for the first time before a recording, not during one.
    var slateTextProblem: String? { get }

    /// Whether the bytes are exactly one complete JPEG of the given size: markers in order, an end marker,
    /// and the size in the headers. This method can be called from any thread.
    ///
    /// The check is cheap: the whole JPEG is read only if the end marker is missing, to determine whether
    /// anything else is missing.
    func isWholeJPEG(_ bytes: SharedBytes, size: FrameSize) -> Bool

    /// Converts a frame, or a part of it, to NV12, I420, YUYV or BGRA. This method can be called from any
    /// thread.
    ///
    /// - Parameters:
    ///   - frame: Any frame except H.264, which must be decoded first. A frame that already has this format
    ///     and size is returned unchanged.
    ///   - pixel: `nv12`, `i420`, `yuyv` or `bgra`.
    ///   - part: The part of the stored frame to convert; `nil` for the whole frame.
    ///   - size: The output width and height in pixels, both even; `nil` for the size of the part.
    /// - Returns: A frame that owns its memory, or `frame` itself.
    /// - Throws: `EncodingError` for other formats and sizes, for H.264, and for damaged frames.
    func convert(
        _ frame: CapturedFrame, to pixel: PixelFormat, part: FramePart?, size: FrameSize?
    ) throws(EncodingError) -> CapturedFrame

    /// Creates a compositor, which composes layers without encoding them. Use each compositor from only one
    /// thread.
    ///
    /// - Parameters:
    ///   - size: Width and height of the composed frames in pixels, both even.
    ///   - color: Color matrix and range of the composed frames.
    ///   - name: Name of the component that uses the compositor, for messages.
    /// - Returns: A compositor that isn't shared with other threads.
    /// - Throws: `EncodingError` if memory runs out.
    func makeComposer(
        size: FrameSize, color: ColorDescription, name: String
    ) throws(EncodingError) -> sending any FrameComposing

    /// Returns a frame as a JPEG: the camera's own bytes if the frame is already a JPEG, otherwise a new JPEG
    /// of high quality. This method can be called from any thread.
    ///
    /// - Throws: `EncodingError` for H.264, which must be decoded first, and for damaged frames.
    func makeStill(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes
}

/// Decoder for a video stream with interdependent frames. Use each decoder from only one thread.
package protocol VideoDecoding: AnyObject {
    /// Decodes the next frame of the stream.
    ///
    /// - Parameter frame: The next frame in the device's numbering. A gap in `sequence` means that a frame on
    ///   which others may depend is missing.
    /// - Returns: The finished frames, and whether the passed frame is damaged.
    /// - Throws: `EncodingError` if the frame's pixel format differs from the stream's pixel format, or if
    ///   memory runs out.
    func decode(_ frame: CapturedFrame) throws(EncodingError) -> DecodedFrames
}

extension CodecFactory {
    /// Converts a whole frame to NV12, I420 or BGRA at its own size; see `convert(_:to:part:size:)`.
    package func convert(_ frame: CapturedFrame, to pixel: PixelFormat) throws(EncodingError) -> CapturedFrame
    {
        try convert(frame, to: pixel, part: nil, size: nil)
    }
}

/// Result of passing one frame to a stream decoder.
package struct DecodedFrames: Sendable {
    /// Finished frames, with the capture times and sequence numbers of their encoded frames.
    package let ready: [CapturedFrame]
    /// Whether the passed frame can't be shown because it is damaged, or because it depends on a damaged or
    /// missing frame.
    package let isDamaged: Bool

    /// Creates a result from the decoder's output.
    package init(ready: [CapturedFrame], isDamaged: Bool) {
        self.ready = ready
        self.isDamaged = isDamaged
    }
}
