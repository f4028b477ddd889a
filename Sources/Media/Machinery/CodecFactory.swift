/// The machinery that a session needs to obey its decisions, made where the codecs are.
public protocol CodecFactory: Sendable {
    /// - Parameters:
    ///   - settings: Both sides of the size must be even.
    ///   - name: The track, for messages.
    /// - Returns: An encoder that no other thread has.
    /// - Throws: When the codec is missing or refuses the settings.
    func makeVideoEncoder(_ settings: VideoEncodingSettings, name: String)
        throws(EncodingError) -> sending any VideoEncoding

    /// - Parameters:
    ///   - channels: 1 or 2.
    ///   - bitrate: Bits per second, 32 000…512 000.
    ///   - name: The track, for messages.
    /// - Returns: An encoder of audio at the session's rate that no other thread has.
    /// - Throws: When a number is out of its range, or the codec is missing or refuses the settings.
    func makeAudioEncoder(channels: Int, bitrate: Int, name: String)
        throws(EncodingError) -> sending any AudioEncoding

    /// Converts from the device's format to the session's rate; the number of channels stays.
    func makeResampler(from format: AudioFormat, name: String) throws(EncodingError) -> sending any Resampling

    /// A meter of loudness at the session's rate that no other thread has. Of `channels`, 1 to 8, each counts once, and a single
    /// one not as if it came from both sides; `name` is the track, for messages.
    func makeLoudnessMeter(channels: Int, name: String) throws(EncodingError) -> sending any LoudnessMetering

    /// A decoder for a stream of H.264 access units that turns them into I420 frames with the same times.
    func makeVideoDecoder(name: String) throws(EncodingError) -> sending any VideoDecoding

    /// A grey JPEG of the same size, sampling and coding as a camera's own, for where its frame is missing.
    ///
    /// - Parameters:
    ///   - frame: One of the camera's own.
    ///   - caption: What the slate says.
    /// - Returns: A whole JPEG.
    /// - Throws: When the frame is no JPEG that can be read.
    func makeSlate(like frame: CapturedFrame, caption: SlateCaption) throws(EncodingError) -> SharedBytes

    /// Why slates will be without words, as a sentence; `nil` when they will have them.
    ///
    /// The first call looks through the machine's fonts, which takes tens of milliseconds: better before a recording than in it.
    var slateShortcoming: String? { get }

    /// Whether the bytes are one whole JPEG: markers in order, an end, the size that the headers say. Cheap: only one without
    /// an end is read through, to see whether the end is all that is missing. On any thread.
    func isWholeJPEG(_ bytes: SharedBytes, size: FrameSize) -> Bool

    /// Converts a frame for a program that asked for one format: NV12, I420 or BGRA, of the frame's own size.
    func convert(_ frame: CapturedFrame, to pixel: PixelFormat) throws(EncodingError) -> CapturedFrame

    /// A frame as a JPEG: a camera's own bytes where it is one; else encoded once, at high quality. On any thread.
    ///
    /// - Throws: For H.264, which has to be decoded first, and for what is damaged.
    func makeStill(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes
}

/// Decodes a stream whose frames depend on each other. Used by one thread alone.
public protocol VideoDecoding: AnyObject {
    /// - Parameter frame: In the order of the device's count; a jump in `sequence` is a frame that others may need.
    /// - Returns: What became ready.
    /// - Throws: When the frame is none of such a stream, or memory is short.
    func decode(_ frame: CapturedFrame) throws(EncodingError) -> DecodedFrames
}
