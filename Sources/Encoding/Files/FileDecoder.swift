internal import CMedia
import Media

/// Reads and decodes one stream of a file, frame after frame. Damaged packets are skipped.
final class FileDecoder {
    private let stream: DemuxedStream
    private let codec: OwnedCodec
    private let packet: OwnedPacket
    private let frame: OwnedFrame
    private let showsHidden: Bool
    private var isDrained = false

    /// Opens a decoder for a stream.
    ///
    /// - Parameters:
    ///   - stream: The stream; decoding starts at its present position.
    ///   - skippingLoopFilter: Whether to skip the deblocking filter, which frames that are only measured do not need.
    ///   - showsHidden: Whether frames that the file's edit list hides are given out too.
    /// - Throws: When libavcodec has no decoder for the stream.
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
    /// - Returns: The next frame, valid until the next call; `nil` at the end.
    func next() throws(EncodingError) -> UnsafeMutablePointer<AVFrame>? {
        while true {
            let result = avcodec_receive_frame(codec.pointer, frame.pointer)
            if result >= 0 { return frame.pointer }
            if result == ff_end_of_file || (result == ff_try_again && isDrained) { return nil }
            if try stream.read(into: packet.pointer) {
                if showsHidden { packet.pointer.pointee.flags &= ~AV_PKT_FLAG_DISCARD }
                avcodec_send_packet(codec.pointer, packet.pointer)
            } else if isDrained {
                return nil
            } else {
                isDrained = true
                avcodec_send_packet(codec.pointer, nil)
            }
        }
    }
}
