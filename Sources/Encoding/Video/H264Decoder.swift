internal import CMulticamMedia
import MulticamMedia

/// Decodes a camera's H.264 stream, one access unit at a time, and returns each frame as soon as the stream's
/// frame order allows. Not thread-safe: use it from one thread only.
///
/// After a damaged or missing access unit, libavcodec returns corrupt frames if later frames refer to the
/// missing data. Therefore, this decoder withholds all frames until the next key frame.
final class H264Decoder: VideoDecoding {
    private struct Origin {
        let capturedAt: ClockTime
        let sequence: Int64
    }

    private let name: String
    private let codec: OwnedCodec
    private let packet: OwnedPacket
    private let frame: OwnedFrame
    private let frames: FileFrames
    /// Capture times and sequence numbers of the access units that are still inside the decoder. The key is a
    /// counter that is passed through the decoder as the timestamp.
    private var origins: [Int64: Origin] = [:]
    private var count: Int64 = 0
    private var lastSequence: Int64?
    /// Number of frames withheld since a damaged or missing frame; `nil` while all frames are complete.
    private var withheldCount: Int?

    /// Upper bound on the decoder's delay in frames: 16 reference frames (ITU-T H.264, A.3.1) with two fields
    /// each.
    private static let longestDelay: Int64 = 32
    /// Number of frames without a key frame after which the stream is assumed to use intra refresh: ten seconds at 30
    /// frames per second.
    private static let maxFramesWithoutKey = 300

    init(name: String) throws(EncodingError) {
        self.name = name
        codec = try OwnedCodec(decoder: AV_CODEC_ID_H264, subject: name)
        codec.pointer.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
        codec.pointer.pointee.thread_count = 1
        codec.pointer.pointee.get_buffer2 = media_buffer_in_one_piece
        try codec.open()
        packet = try OwnedPacket(name)
        frame = try OwnedFrame(name)
        frames = FileFrames(name)
    }

    func decode(_ frame: CapturedFrame) throws(EncodingError) -> DecodedFrames {
        guard frame.pixel == .h264 else {
            throw EncodingError(
                subject: name, operation: "decoding",
                reason: "a \(frame.pixel.rawValue) frame is not H.264")
        }
        if let lastSequence, frame.sequence != lastSequence + 1 { startWithholding() }
        lastSequence = frame.sequence
        origins[count] = Origin(capturedAt: frame.capturedAt, sequence: frame.sequence)
        origins[count - Self.longestDelay] = nil
        let isTaken = try send(frame.memory, stamp: count)
        count += 1
        if !isTaken { startWithholding() }
        let ready = try receive()
        if let withheldCount { self.withheldCount = withheldCount + 1 }
        return DecodedFrames(ready: ready, isDamaged: withheldCount != nil)
    }

    private func startWithholding() {
        if withheldCount == nil { withheldCount = 0 }
    }

    /// Sends one access unit to the decoder.
    ///
    /// - Returns: `false` if the bytes can't be parsed.
    private func send(_ bytes: SharedBytes, stamp: Int64) throws(EncodingError) -> Bool {
        // libavcodec may read past the end of the data, so the access unit is copied into a packet with
        // padding.
        var result = av_new_packet(packet.pointer, Int32(clamping: bytes.count))
        guard result >= 0, let data = packet.pointer.pointee.data else {
            throw EncodingError(name, "av_new_packet", code: result)
        }
        defer { av_packet_unref(packet.pointer) }
        UnsafeMutableRawPointer(data).copyMemory(from: bytes.start, byteCount: bytes.count)
        packet.pointer.pointee.pts = stamp
        packet.pointer.pointee.dts = stamp
        result = avcodec_send_packet(codec.pointer, packet.pointer)
        if result == ff_invalid_data { return false }
        guard result >= 0 else { throw EncodingError(name, "avcodec_send_packet", code: result) }
        return true
    }

    private func receive() throws(EncodingError) -> [CapturedFrame] {
        var ready: [CapturedFrame] = []
        while true {
            let result = avcodec_receive_frame(codec.pointer, frame.pointer)
            if result == ff_try_again || result == ff_end_of_file { return ready }
            if result == ff_invalid_data {
                startWithholding()
                continue
            }
            guard result >= 0 else { throw EncodingError(name, "avcodec_receive_frame", code: result) }
            guard let origin = origins.removeValue(forKey: frame.pointer.pointee.pts) else { continue }
            guard isWhole(frame.pointer) else { continue }
            ready.append(
                try frames.frame(
                    of: frame.pointer, capturedAt: origin.capturedAt, sequence: origin.sequence))
        }
    }

    /// Whether libavcodec reports that a frame is complete and undamaged.
    private func isWhole(_ frame: UnsafePointer<AVFrame>) -> Bool {
        // The decoder had to conceal missing data in this frame.
        if frame.pointee.decode_error_flags != 0 || (frame.pointee.flags & AV_FRAME_FLAG_CORRUPT) != 0 {
            startWithholding()
            return false
        }
        if let waited = withheldCount, media_is_key(frame) == 0, waited < Self.maxFramesWithoutKey {
            return false
        }
        withheldCount = nil
        return true
    }
}
