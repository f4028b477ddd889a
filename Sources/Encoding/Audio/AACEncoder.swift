internal import CMulticamMedia
import MulticamMedia

/// AAC-LC encoder of libavcodec at the session's sample rate, 48 kHz. The times of packets are sample counts.
/// The first packet's time is negative: minus the number of priming samples. Not thread-safe: use it from one
/// thread only.
final class AACEncoder: AudioEncoding {
    let parameters: StreamParameters
    private let name: String
    private let channels: Int
    private let codec: OwnedCodec
    private let packet: OwnedPacket
    private let frame: OwnedFrame
    /// Interleaved samples that are waiting until an AAC frame is full.
    private var pendingSamples: [Float] = []
    private var frameSize = 0
    private var sampleCount: Int64 = 0

    /// Minimum bit rate per channel in bits per second for the `fast` coder. At this rate and above, the
    /// `fast` coder takes half the time of the default coder, `twoloop`, and its output is closer to the
    /// original audio (ffmpeg-codecs(1), `aac_coder`; measured in docs/performance.md).
    private static let minFastBitrate = 48_000

    init(channels: Int, bitrate: Int, name: String) throws(EncodingError) {
        guard (1...2).contains(channels), (32_000...512_000).contains(bitrate) else {
            throw EncodingError(
                subject: name, operation: "opening the AAC encoder",
                reason:
                    "the format (channels: \(channels), bits per second: \(bitrate)) is not supported; only 1 or 2 channels at 32000 to 512000 bits per second are supported"
            )
        }
        self.name = name
        self.channels = channels
        codec = try OwnedCodec(encoder: "aac", subject: name)
        packet = try OwnedPacket(name)
        frame = try OwnedFrame(name)
        let context = codec.pointer
        context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        context.pointee.sample_rate = Int32(AudioFormat.sessionRate)
        context.pointee.time_base = AVRational(num: 1, den: Int32(AudioFormat.sessionRate))
        context.pointee.bit_rate = Int64(bitrate)
        context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        av_channel_layout_default(&context.pointee.ch_layout, Int32(channels))
        if bitrate >= Self.minFastBitrate * channels { try codec.set("aac_coder", "fast") }
        try codec.open()
        frameSize = Int(context.pointee.frame_size)
        parameters = StreamParameters(
            codec: .aac, timeScale: Int64(AudioFormat.sessionRate), setup: codec.setup,
            audio: AudioFormat(rate: AudioFormat.sessionRate, channels: channels),
            priming: Int64(context.pointee.initial_padding))
    }

    func encode(_ samples: [Float]) throws(EncodingError) -> [EncodedPacket] {
        precondition(samples.count % channels == 0, "all channels must have the same number of samples")
        pendingSamples.append(contentsOf: samples)
        var packets: [EncodedPacket] = []
        var start = 0
        while pendingSamples.count - start >= frameSize * channels {
            try send(from: start, count: frameSize)
            start += frameSize * channels
            try receive(into: &packets)
        }
        pendingSamples.removeFirst(start)
        return packets
    }

    func finish() throws(EncodingError) -> [EncodedPacket] {
        var packets: [EncodedPacket] = []
        if !pendingSamples.isEmpty {
            try send(from: 0, count: pendingSamples.count / channels)
            pendingSamples = []
            try receive(into: &packets)
        }
        let result = avcodec_send_frame(codec.pointer, nil)
        guard result >= 0 else { throw EncodingError(name, "avcodec_send_frame", code: result) }
        try receive(into: &packets)
        return packets
    }

    private func send(from start: Int, count: Int) throws(EncodingError) {
        let frame = frame.pointer
        frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.pointee.sample_rate = Int32(AudioFormat.sessionRate)
        frame.pointee.nb_samples = Int32(count)
        av_channel_layout_default(&frame.pointee.ch_layout, Int32(channels))
        // The encoder retains frames for its lookahead, so each frame needs a separate buffer.
        var result = av_frame_get_buffer(frame, 0)
        guard result >= 0 else { throw EncodingError(name, "av_frame_get_buffer", code: result) }
        defer { av_frame_unref(frame) }
        pendingSamples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            for channel in 0..<channels {
                let plane = UnsafeMutableRawPointer(frame.pointee.extended_data[channel])?
                    .assumingMemoryBound(to: Float.self)
                media_deinterleave(base + start, plane, Int32(channel), Int32(channels), Int32(count))
            }
        }
        frame.pointee.pts = sampleCount
        sampleCount += Int64(count)
        result = avcodec_send_frame(codec.pointer, frame)
        guard result >= 0 else { throw EncodingError(name, "avcodec_send_frame", code: result) }
    }

    private func receive(into packets: inout [EncodedPacket]) throws(EncodingError) {
        while true {
            let result = avcodec_receive_packet(codec.pointer, packet.pointer)
            if result == ff_try_again || result == ff_end_of_file { return }
            guard result >= 0 else { throw EncodingError(name, "avcodec_receive_packet", code: result) }
            let facts = packet.pointer.pointee
            packets.append(
                EncodedPacket(
                    bytes: try packet.detachBytes(name), presentation: facts.pts, decode: facts.pts,
                    duration: facts.duration > 0 ? facts.duration : Int64(frameSize), isKey: true))
        }
    }
}
