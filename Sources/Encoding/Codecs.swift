package import MulticamMedia

/// Codecs of a session: x264, hardware encoders and AAC (libavcodec), JPEG (libjpeg-turbo), pixel conversion (libyuv),
/// resampling (libswresample), and loudness (libebur128).
package struct Codecs: CodecFactory {
    /// Opens hardware encoders; `nil` selects the encoders of libavcodec.
    private let open: HardwareCoderFactory?

    private let frameTimeout: Nanoseconds

    /// Creates a factory that uses libavcodec's hardware encoders.
    package init() {
        open = nil
        frameTimeout = CoderThread.defaultFrameTimeout
    }

    /// Creates a factory that uses a substitute for the hardware encoders, for tests.
    ///
    /// - Parameters:
    ///   - frameTimeout: Maximum time that the substitute encoder may take per frame.
    ///   - open: Closure that opens the substitute encoder.
    init(frameTimeout: Nanoseconds, opening open: @escaping HardwareCoderFactory) {
        self.open = open
        self.frameTimeout = frameTimeout
    }

    /// Creates an encoder that composes layers and encodes them as H.264. Packets and parameter sets are in Annex B
    /// format. A tick lasts `rate.seconds` units of the time scale `rate.frames`.
    ///
    /// If the settings request a hardware encoder, this function first encodes a few test frames on the
    /// hardware. The test takes up to one second if the hardware works.
    ///
    /// - Parameters:
    ///   - settings: Frame size, frame rate, quality, and encoder of the stream. Width and height must be
    ///     even.
    ///   - name: Name of the track, used in messages.
    /// - Returns: An encoder that isn't shared with other threads.
    /// - Throws: An error if the width or height is odd, x264 is missing or rejects the settings, memory allocation
    ///   fails, or required hardware rejects the stream.
    package func makeVideoEncoder(
        _ settings: VideoEncodingSettings, name: String
    ) throws(EncodingError) -> sending any VideoEncoding {
        try ComposedVideoEncoder(settings, name: name, open: open, frameTimeout: frameTimeout)
    }

    /// Creates an AAC-LC encoder that runs at the session's sample rate.
    ///
    /// - Parameters:
    ///   - channels: Number of audio channels, 1 or 2.
    ///   - bitrate: Total bit rate of all channels in bits per second, 32 000…512 000.
    ///   - name: Name of the track, used in messages.
    /// - Returns: An encoder that isn't shared with other threads.
    /// - Throws: An error if a parameter is out of range, or the codec is missing or rejects the settings.
    package func makeAudioEncoder(
        channels: Int, bitrate: Int, name: String
    ) throws(EncodingError) -> sending any AudioEncoding {
        try AACEncoder(channels: channels, bitrate: bitrate, name: name)
    }

    /// Creates a resampler from a device's format to the session's sample rate. The number of channels doesn't change.
    ///
    /// - Parameters:
    ///   - format: 1 to 8 channels at 8000 to 192 000 Hz.
    ///   - name: Name of the track, used in messages.
    /// - Returns: A resampler that isn't shared with other threads.
    /// - Throws: An error if `format` is out of range, or memory allocation fails.
    package func makeResampler(
        from format: AudioFormat, name: String
    ) throws(EncodingError) -> sending any Resampling {
        try DriftResampler(from: format, name: name)
    }

    /// Creates a loudness meter that runs at the session's sample rate.
    ///
    /// - Parameters:
    ///   - channels: Number of channels, 1 to 8. All channels have the same weight.
    ///   - name: Name of the track, used in messages.
    /// - Returns: A loudness meter that isn't shared with other threads.
    /// - Throws: An error if `channels` is out of range, or memory allocation fails.
    package func makeLoudnessMeter(
        channels: Int, name: String
    ) throws(EncodingError) -> sending any LoudnessMetering {
        try LoudnessMeter(channels: channels, name: name)
    }

    /// Creates filters that run at the session's sample rate.
    ///
    /// - Parameters:
    ///   - processing: The filters; at least one.
    ///   - channels: Number of audio channels, 1 or 2.
    ///   - name: Name of the microphone or of the mix, used in messages.
    /// - Returns: Filters that aren't shared with other threads.
    /// - Throws: An error if libavfilter isn't installed, or it lacks a filter.
    package func makeSoundFilters(
        _ processing: SoundProcessing, channels: Int, name: String
    ) throws(EncodingError) -> sending any SoundFiltering {
        try SoundFilterChain(processing, channels: channels, name: name)
    }

    /// Creates a decoder that turns H.264 access units into I420 frames. The frames keep their capture times.
    ///
    /// - Parameter name: Name of the track, used in messages.
    /// - Returns: A decoder that isn't shared with other threads.
    /// - Throws: An error if libavcodec doesn't include an H.264 decoder, or memory allocation fails.
    package func makeVideoDecoder(name: String) throws(EncodingError) -> sending any VideoDecoding {
        try H264Decoder(name: name)
    }

    /// Creates a slate: a JPEG that replaces a missing frame. The slate has the same size, chroma
    /// subsampling, and coding as the camera's own JPEGs.
    ///
    /// - Parameters:
    ///   - frame: One of the camera's JPEG frames.
    ///   - caption: Text on the slate.
    /// - Returns: A complete JPEG.
    /// - Throws: An error if the frame isn't a readable JPEG.
    package func makeSlate(
        like frame: CapturedFrame, caption: SlateCaption
    ) throws(EncodingError) -> SharedBytes {
        try Slate.makeJPEG(like: frame, caption: caption)
    }

    /// Reason why slates can't show text, as a sentence; `nil` if a font is available.
    ///
    /// The first call in a process reads fontconfig's files, which takes tens of milliseconds.
    package var slateTextProblem: String? {
        InstalledFonts() == nil
            ? "slates will not show the camera name, because fontconfig found no font. Install a font, for example the package "
                + "fonts-dejavu-core."
            : nil
    }

    /// Whether the bytes are one complete JPEG of the given size. Only a JPEG that lacks an end marker is
    /// decoded, to find out whether other data is also missing. Safe to call from any thread.
    package func isWholeJPEG(_ bytes: SharedBytes, size: FrameSize) -> Bool {
        guard let markers = JPEGMarkers(bytes.bytes) else { return false }
        guard markers.size == size else { return false }
        // Some cameras never send an end marker. Their JPEGs must be decoded completely to find out whether
        // data is missing.
        return markers.hasEnd || !JPEGDecoder.isDamaged(bytes)
    }

    /// Converts a frame, or part of it, to another pixel format and size.
    ///
    /// - Parameters:
    ///   - frame: A frame of any pixel format except H.264.
    ///   - pixel: Output pixel format: `nv12`, `i420`, `yuyv`, or `bgra`.
    ///   - part: Part of the stored frame; `nil` for the entire frame.
    ///   - size: Output width and height in pixels, both even; `nil` for the size of `part`.
    /// - Returns: A frame that owns its memory, or `frame` itself if no conversion is needed.
    /// - Throws: An error if `pixel` is an unsupported format, the size isn't valid, or the frame is damaged
    ///   or H.264.
    package func convert(
        _ frame: CapturedFrame, to pixel: PixelFormat, part: FramePart?, size: FrameSize?
    ) throws(EncodingError) -> CapturedFrame {
        try FrameConversion.convert(frame, to: pixel, part: part, size: size)
    }

    /// Creates a compositor that composes layers without encoding them.
    ///
    /// - Parameters:
    ///   - size: Width and height in pixels, both even.
    ///   - color: Color matrix and range of the composed frames.
    ///   - name: Name of the caller, used in messages.
    /// - Returns: A compositor that isn't shared with other threads.
    /// - Throws: An error if the width or height is odd or not positive.
    package func makeComposer(
        size: FrameSize, color: ColorDescription, name: String
    ) throws(EncodingError) -> sending any FrameComposing {
        try FrameComposer(size: size, color: color, name: name)
    }

    /// Creates a JPEG from a frame. The bytes of a JPEG frame are returned unchanged; other frames are encoded with
    /// JPEG quality 95 (of 100). Safe to call from any thread.
    ///
    /// - Throws: An error if the frame is damaged, or is H.264, which must be decoded first.
    package func makeStill(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes {
        try StillJPEG.bytes(of: frame)
    }
}
