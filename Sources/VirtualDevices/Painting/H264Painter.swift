import Encoding
import Media

/// Encodes what another painter shows as H.264, as a camera with an encoder of its own does.
final class H264Painter: FramePainting {
    private let frames: any FramePainting
    private let format: VideoFormat
    private let color: ColorDescription
    private var encoder: H264Encoder

    /// `frames` paints I420.
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
