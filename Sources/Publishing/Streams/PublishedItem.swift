package import MulticamInputs
package import MulticamMedia

/// One item that a live output sends.
package enum PublishedItem: Sendable {
    /// An H.264 packet. Connections never receive packets that precede the first key frame, or packets
    /// between a loss and the next key frame.
    case video(PublishedPacket)
    /// An AAC packet. The first one starts at the time of the first key frame.
    case audio(PublishedPacket)
    /// A raw frame in the pixel format that the connection requests.
    case frame(CapturedFrame)
    /// Unencoded samples of the program's mix or of one microphone, as 32-bit floats at 48 kHz.
    case samples(AudioTap.Slice)

    /// Size of the item in bytes.
    package var byteCount: Int {
        switch self {
        case .video(let packet), .audio(let packet): packet.bytes.count
        case .frame(let frame): frame.memory.count
        case .samples(let slice): slice.samples.count * MemoryLayout<Float>.size
        }
    }

    /// Whether the item is an encoded or raw video frame.
    package var isVideo: Bool {
        switch self {
        case .video, .frame: true
        case .audio, .samples: false
        }
    }
}

/// One encoded frame or one encoded slice of audio to be sent by a live output.
package struct PublishedPacket: Sendable {
    /// The encoded bytes: an H.264 access unit in Annex B format, or an AAC frame without an ADTS header. An
    /// access unit contains parameter sets only if an encoder of this process has changed them.
    package let bytes: SharedBytes
    /// Presentation time on the session clock, which continues across recordings.
    package let presentedAt: ClockTime
    /// Decoding time on the session clock. Decoding times increase strictly within a stream.
    package let decodedAt: ClockTime
    /// Presentation duration of the packet.
    package let duration: Nanoseconds
    /// Whether the packet can be decoded without earlier packets. Audio packets can always be decoded
    /// independently.
    package let isKey: Bool
    /// The stream's parameters. The `setup` property of the parameters contains H.264 parameter sets in Annex
    /// B format, or an `AudioSpecificConfig`. The parameters may change at a key frame.
    package let parameters: StreamParameters

    /// Creates a packet. Each parameter sets the property of the same name.
    package init(
        bytes: SharedBytes, presentedAt: ClockTime, decodedAt: ClockTime, duration: Nanoseconds, isKey: Bool,
        parameters: StreamParameters
    ) {
        (self.bytes, self.presentedAt, self.decodedAt) = (bytes, presentedAt, decodedAt)
        (self.duration, self.isKey, self.parameters) = (duration, isKey, parameters)
    }
}

/// The types of items that a kind of live output accepts.
package struct PublishedContent: Sendable, Equatable {
    /// Whether H.264 packets are accepted.
    package var video = false
    /// Whether AAC packets are accepted.
    package var audio = false
    /// Pixel format of raw frames: `nv12`, `i420`, or `bgra`; `nil` if raw frames aren't accepted.
    package var frames: PixelFormat?
    /// Whether unencoded audio samples are accepted.
    package var samples = false

    /// Creates a description of accepted content. Each parameter sets the property of the same name.
    package init(
        video: Bool = false, audio: Bool = false, frames: PixelFormat? = nil, samples: Bool = false
    ) {
        (self.video, self.audio, self.frames, self.samples) = (video, audio, frames, samples)
    }

    /// The content that SRT and RTMP connections accept.
    package static let packets = Self(video: true, audio: true)
}

/// Parameters of the streams at the start of a connection. A stream is set only if it is available and the
/// connection requests it.
package struct PublishedStreams: Sendable, Equatable {
    /// H.264 parameters, including size, frame rate, and Annex B parameter sets.
    package var video: StreamParameters?
    /// AAC parameters, including the `AudioSpecificConfig`.
    package var audio: StreamParameters?
    /// Format of raw frames: pixel format, size, and maximum frame rate.
    package var frames: VideoFormat?
    /// Format of the unencoded audio.
    package var samples: AudioFormat?

    /// Creates a description without streams.
    package init() {}
}
