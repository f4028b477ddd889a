package import Inputs
package import Media

/// One thing that a destination sends.
package enum PublishedItem: Sendable {
    /// H.264, from a key frame on; packets before it and between a loss and the next key frame are never given to a connection.
    case video(PublishedPacket)
    /// AAC, from the first key frame's time on.
    case audio(PublishedPacket)
    /// A raw frame in the pixel format that the connection wants.
    case frame(CapturedFrame)
    /// The program's mix, as 32-bit floats at 48 kHz.
    case samples(AudioTap.Slice)

    /// Bytes that the item takes.
    package var byteCount: Int {
        switch self {
        case .video(let packet), .audio(let packet): packet.bytes.count
        case .frame(let frame): frame.memory.count
        case .samples(let slice): slice.samples.count * MemoryLayout<Float>.size
        }
    }

    /// Whether it is an encoded or a raw frame, rather than audio.
    package var isVideo: Bool {
        switch self {
        case .video, .frame: true
        case .audio, .samples: false
        }
    }
}
