internal import CMulticamMedia
import MulticamMedia

/// Reads and decodes one stream of a file, frame by frame. Damaged packets are skipped and counted.
final class FileDecoder {
    private let stream: DemuxedStream
    private let codec: OwnedCodec
    private let packet: OwnedPacket
    private let frame: OwnedFrame
    private let showsHidden: Bool
    private var isDrained = false
    /// Maximum number of presentation times that are stored.
    private static let maxStampCount = 100
    /// Number of packets read.
    private(set) var packets = 0
    /// Presentation times of the first packets.
    private var stamps: [Nanoseconds] = []
    /// Number of packets that could not be decoded.
    private(set) var damagedPackets = 0
    /// libavcodec's error code for the last damaged packet.
    private(set) var lastFailure: Int32 = 0

    /// Opens a decoder for a stream.
    ///
    /// - Parameters:
    ///   - stream: The stream to decode. Decoding starts at the stream's current position.
    ///   - skippingLoopFilter: Whether to skip the deblocking filter. Frames that are only measured don't
    ///     need this filter.
    ///   - showsHidden: Whether to also return frames that the file's edit list hides.
    /// - Throws: An error if libavcodec doesn't include a decoder for the stream.
    init(
        _ stream: DemuxedStream, skippingLoopFilter: Bool = false, showsHidden: Bool = false
    ) throws(EncodingError) {
        self.stream = stream
        self.showsHidden = showsHidden
        codec = try stream.makeDecoder()
        if skippingLoopFilter { codec.pointer.pointee.skip_loop_filter = AVDISCARD_ALL }
        packet = try OwnedPacket(stream.path)
        frame = try OwnedFrame(stream.path)
    }

    /// Decodes the next frame.
    ///
    /// - Parameter limit: Number of packets, counted from the start of the stream, after which decoding stops
    ///   even if no frame was found.
    /// - Returns: The next frame, valid until the next call; `nil` at the end of the stream or at the limit.
    /// - Throws: An error if reading fails.
    func nextFrame(maxPackets limit: Int = .max) throws(EncodingError) -> UnsafeMutablePointer<AVFrame>? {
        while true {
            let result = avcodec_receive_frame(codec.pointer, frame.pointer)
            if result >= 0 { return frame.pointer }
            if result == ff_end_of_file || (result == ff_try_again && isDrained) { return nil }
            if result != ff_try_again { recordFailure(result) }
            guard packets < limit else { return nil }
            if try read() {
                if showsHidden { packet.pointer.pointee.flags &= ~AV_PKT_FLAG_DISCARD }
                let result = avcodec_send_packet(codec.pointer, packet.pointer)
                if result < 0, result != ff_try_again { recordFailure(result) }
            } else if isDrained {
                return nil
            } else {
                isDrained = true
                avcodec_send_packet(codec.pointer, nil)
            }
        }
    }

    /// Reads the next packet of the stream from the file.
    private func read() throws(EncodingError) -> Bool {
        guard try stream.read(into: packet.pointer) else { return false }
        packets += 1
        if stamps.count < Self.maxStampCount, let time = stream.time(packet.pointer.pointee.pts) {
            stamps.append(time)
        }
        return true
    }

    /// Reads packets without decoding them until at least `count` packets with a timestamp have been read, and returns
    /// the presentation times of all packets. The decoder can't be used afterwards.
    func stamps(atLeast count: Int) throws(EncodingError) -> [Nanoseconds] {
        while stamps.count < count, try read() {}
        return stamps
    }

    private func recordFailure(_ failure: Int32) {
        damagedPackets += 1
        lastFailure = failure
    }

    /// Frame rate stated in the coded stream, such as in H.264 parameter sets; `nil` if the stream doesn't state it.
    var codedRate: FrameRate? { FrameRate(codec.pointer.pointee.framerate) }
}
