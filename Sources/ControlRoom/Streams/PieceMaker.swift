internal import Containers
internal import Encoding
internal import Inputs
internal import Media
internal import MediaLink

/// Makes of what a recorder sends what browsers show. Used by the thread of one tap.
final class PieceMaker: @unchecked Sendable {
    // The thread of the tap that was made with it is the only one that uses it.
    private let key: StreamKey
    private let encoder = PreviewEncoder()
    private var stream: PlainStream?

    init(_ key: StreamKey) { self.key = key }

    /// What has to be asked for in place of a frame like this; `nil` when it can be used as it is.
    ///
    /// JPEGs come as captured, since the recorder then has no work with them. Other frames come as pixels of the size that is shown.
    func request(for frame: CapturedFrame) -> FrameRequest? {
        let (wanted, rate): (Int, Int)
        switch key {
        case .camera(_, let width, let perSecond), .program(let width, let perSecond):
            (wanted, rate) = (width, perSecond)
        case .packets, .audio: return nil
        }
        if frame.pixel == .mjpeg || frame.pixel == .i420 && frame.size.width <= wanted { return nil }
        return FrameRequest(
            .converted(.i420), size: PreviewEncoder.size(frame.size, atMost: wanted),
            rate: FrameRate(String(rate)))
    }

    /// A frame as JPEG of at most the width that is wanted; `nil` for a damaged one.
    func piece(of frame: CapturedFrame) -> StreamPiece? {
        let width: Int
        switch key {
        case .camera(_, let wanted, _), .program(let wanted, _): width = wanted
        case .packets, .audio: return nil
        }
        do throws(EncodingError) {
            let bytes = try encoder.jpeg(of: frame, atMost: width)
            return piece(.jpeg, frame.capturedAt.nanoseconds, bytes, StreamSetup(codec: "jpeg"))
        } catch {
            // The camera's ledger counts it; the next frame is on its way.
            return nil
        }
    }

    /// A packet of video; `nil` for audio, and for video before the stream's parameter sets.
    func piece(of packet: RemotePacket) -> StreamPiece? {
        guard packet.codec == .h264 else { return nil }
        if let setup = packet.setup { stream = PlainStream(setup: setup) }
        guard let stream, let record = stream.record else { return nil }
        var piece = piece(
            .h264, packet.presentedAt.nanoseconds, stream.sample(of: packet.bytes), StreamSetup(h264: record),
            isKey: packet.isKey)
        piece.duration = packet.duration
        return piece
    }

    /// Audio as 16 bits a sample.
    func piece(of slice: AudioTap.Slice) -> StreamPiece {
        let samples = slice.samples.map { Int16(clamping: Int(rounding: Double($0) * 32_767)) }
        let time = slice.firstSample.rescaled(from: 48_000, to: 1_000_000_000)
        return piece(
            .pcm, time, samples.withUnsafeBytes { SharedBytes(copying: $0) },
            StreamSetup(channels: slice.channels))
    }

    private func piece(
        _ kind: StreamPiece.Kind, _ time: Int64, _ bytes: SharedBytes, _ setup: StreamSetup?,
        isKey: Bool = true
    ) -> StreamPiece {
        StreamPiece(kind: kind, isKey: isKey, time: time, duration: .zero, bytes: bytes, setup: setup)
    }
}
