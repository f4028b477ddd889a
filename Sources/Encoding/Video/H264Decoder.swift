internal import CMedia
import Media

/// Decodes a camera's H.264, one access unit at a time, each picture as soon as the stream allows. Used by one thread alone.
final class H264Decoder: PictureDecoding {
    private struct Origin {
        let capturedAt: ClockTime
        let sequence: Int64
    }

    private let name: String
    private let codec: OwnedCodec
    private let packet: OwnedPacket
    private let frame: OwnedFrame
    private let pictures: FramePictures
    /// Of the access units whose pictures are still inside, by the number that travels with them as time stamp.
    private var origins: [Int64: Origin] = [:]
    private var count: Int64 = 0

    /// More than any stream keeps back: 16 reference pictures (ITU-T H.264, A.3.1), each in two fields.
    private static let longestDelay: Int64 = 32

    init(name: String) throws(EncodingError) {
        self.name = name
        codec = try OwnedCodec(decoder: AV_CODEC_ID_H264, subject: name)
        codec.pointer.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
        codec.pointer.pointee.thread_count = 1
        codec.pointer.pointee.get_buffer2 = media_buffer_in_one_piece
        try codec.open()
        packet = try OwnedPacket(name)
        frame = try OwnedFrame(name)
        pictures = FramePictures(name)
    }

    func decode(_ picture: CapturedPicture) throws(EncodingError) -> [CapturedPicture] {
        guard picture.pixel == .h264 else {
            throw EncodingError(
                subject: name, operation: "decoding",
                reason: "a \(picture.pixel.rawValue) picture is no H.264")
        }
        origins[count] = Origin(capturedAt: picture.capturedAt, sequence: picture.sequence)
        origins[count - Self.longestDelay] = nil
        try send(picture.memory, stamp: count)
        count += 1
        return try receive()
    }

    private func send(_ bytes: SharedBytes, stamp: Int64) throws(EncodingError) {
        // libavcodec reads beyond the end, so the unit is copied into a packet with room behind it.
        var result = av_new_packet(packet.pointer, Int32(clamping: bytes.count))
        guard result >= 0, let data = packet.pointer.pointee.data else {
            throw EncodingError(name, "av_new_packet", code: result)
        }
        defer { av_packet_unref(packet.pointer) }
        UnsafeMutableRawPointer(data).copyMemory(from: bytes.start, byteCount: bytes.count)
        packet.pointer.pointee.pts = stamp
        packet.pointer.pointee.dts = stamp
        result = avcodec_send_packet(codec.pointer, packet.pointer)
        guard result >= 0 else { throw EncodingError(name, "avcodec_send_packet", code: result) }
    }

    private func receive() throws(EncodingError) -> [CapturedPicture] {
        var ready: [CapturedPicture] = []
        while true {
            let result = avcodec_receive_frame(codec.pointer, frame.pointer)
            if result == ff_try_again || result == ff_end_of_file { return ready }
            guard result >= 0 else { throw EncodingError(name, "avcodec_receive_frame", code: result) }
            // What was patched up for want of data is damaged: the session repeats the last good picture instead.
            let isPatched =
                frame.pointer.pointee.decode_error_flags != 0 || media_is_corrupt(frame.pointer) != 0
            guard let origin = origins.removeValue(forKey: frame.pointer.pointee.pts), !isPatched else {
                continue
            }
            ready.append(
                try pictures.picture(
                    of: frame.pointer, capturedAt: origin.capturedAt, sequence: origin.sequence))
        }
    }
}
