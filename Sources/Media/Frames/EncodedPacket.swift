/// One encoded frame or slice of audio, ready to be written to a file.
package final class EncodedPacket: Sendable {
    /// The encoded bytes.
    package let bytes: SharedBytes
    /// Presentation time relative to T0, in ticks of the track's time scale. The time is negative for an
    /// encoder's priming samples.
    package let presentation: Int64
    /// Decoding time relative to T0, in ticks of the track's time scale. A packet's decoding time is never
    /// later than `presentation`, and decoding times increase strictly within a track.
    package let decode: Int64
    /// Duration in ticks of the track's time scale.
    package let duration: Int64
    /// Whether the packet can be decoded without earlier packets.
    package let isKey: Bool
    /// Fate of the video tick in the packet; `nil` for audio, and for a frame that isn't shown.
    package let fate: Fate?
    /// Fates of the packet's audio samples, starting at `presentation`. Samples before T0 and an encoder's
    /// padding don't have a fate. The value is empty for a video frame.
    package let samples: AudioFateRun

    /// Creates an encoded packet. All times are in ticks of the track's time scale; presentation and decoding
    /// times are relative to T0.
    package init(
        bytes: SharedBytes, presentation: Int64, decode: Int64, duration: Int64, isKey: Bool,
        fate: Fate? = nil, samples: AudioFateRun = AudioFateRun()
    ) {
        self.bytes = bytes
        self.presentation = presentation
        self.decode = decode
        self.duration = duration
        self.isKey = isKey
        self.fate = fate
        self.samples = samples
    }

    /// Returns the fates of the packet's audio samples before sample `end`. Samples are numbered from T0.
    package func samples(before end: Int64) -> AudioFateRun {
        samples.prefix(Int(clamping: end - max(presentation, 0)))
    }

    /// Returns a copy of a video packet with a different fate for its tick.
    package func withFate(_ fate: Fate) -> EncodedPacket {
        EncodedPacket(
            bytes: bytes, presentation: presentation, decode: decode, duration: duration, isKey: isKey,
            fate: fate)
    }
}

/// Properties of an encoded stream that its file needs in addition to the packets.
public struct StreamParameters: Sendable, Equatable {
    /// Codecs that tracks can use.
    public enum Codec: String, Sendable, Codable {
        case h264, mjpeg, aac
    }

    /// Codec of the packets.
    public let codec: Codec
    /// Time scale of the packets in ticks per second.
    public let timeScale: Int64
    /// H.264: Annex B or avcC parameter sets; AAC: AudioSpecificConfig (ISO/IEC 14496-3). The array is empty
    /// for MJPEG.
    public let setup: [UInt8]
    /// Size of the stored frames in pixels; `nil` for audio.
    public let size: FrameSize?
    /// The nominal frame rate; `nil` for audio.
    public let rate: FrameRate?
    /// Pixel aspect ratio of the stored frames; `nil` for square pixels.
    package var pixelAspect: AspectRatio?
    /// Color matrix and range of the frames; `nil` for audio, or if the colors are unknown.
    public let color: ColorDescription?
    /// Sample rate and channels of the audio; `nil` for video.
    public let audio: AudioFormat?
    /// Encoder delay: number of ticks before T0 that players must skip (the priming samples of AAC). The
    /// file's edit list records the encoder delay.
    package let priming: Int64

    /// Time scale in ticks per second of H.264 frames that keep their own capture times, for example in a
    /// copied stream. A tick of 11 µs is finer than the accuracy of capture times.
    package static let captureTimeScale: Int64 = 90_000

    /// Rate of the grid that contains all presentation times; `nil` for audio, and for frames that keep their
    /// own capture times.
    package var grid: FrameRate? { hasCaptureTimes ? nil : rate }

    /// Whether the stream is H.264 with frames that keep their own capture times instead of grid times. In a
    /// file, the track's time scale indicates such a stream.
    package var hasCaptureTimes: Bool { codec == .h264 && timeScale == Self.captureTimeScale }

    /// Creates stream parameters; omit parameters that don't apply to this kind of stream.
    public init(
        codec: Codec, timeScale: Int64, setup: [UInt8] = [], size: FrameSize? = nil, rate: FrameRate? = nil,
        color: ColorDescription? = nil, audio: AudioFormat? = nil, priming: Int64 = 0
    ) {
        self.codec = codec
        self.timeScale = timeScale
        self.setup = setup
        self.size = size
        self.rate = rate
        self.color = color
        self.audio = audio
        self.priming = priming
    }
}
