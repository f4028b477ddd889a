import Encoding
import Media

/// Encodes the frames of another painter as H.264, as a camera with a built-in encoder does.
final class H264Painter: FramePainting {
    private let frames: any FramePainting
    private let format: VideoFormat
    private let color: ColorDescription
    private var encoder: H264Encoder

    /// Makes an H.264 encoder for the frames of a painter.
    ///
    /// - Parameters:
    ///   - frames: A painter of I420 frames.
    ///   - format: Size and rate of the stream.
    ///   - color: Color description that the stream states.
    /// - Throws: When the encoder cannot be opened.
    init(_ frames: any FramePainting, format: VideoFormat, color: ColorDescription) throws(EncodingError) {
        self.frames = frames
        self.format = format
        self.color = color
        encoder = try H264Encoder(size: format.size, rate: format.rate, color: color)
    }

    var isStream: Bool { true }

    func restart() throws(EncodingError) {
        encoder = try H264Encoder(size: format.size, rate: format.rate, color: color)
    }

    func paint(_ frame: ExposedFrame) throws(EncodingError) -> PaintedFrame {
        let raw = try frames.paint(frame)
        let packets = try encoder.encode(i420: raw.memory, planes: raw.planes, tick: frame.number)
        guard let packet = packets.first, packets.count == 1 else {
            throw EncodingError(
                subject: "a virtual camera", operation: "encoding H.264",
                reason: "frame \(frame.number) became \(packets.count) packets")
        }
        return PaintedFrame(memory: packet.bytes, isKey: packet.isKey)
    }
}
