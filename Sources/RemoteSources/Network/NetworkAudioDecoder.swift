internal import CMedia
internal import Media

/// Decodes a network camera's audio into interleaved floats. Belongs to the camera's thread.
final class NetworkAudioDecoder {
    /// Some decoded audio.
    struct Slice {
        /// Interleaved samples.
        let samples: [Float]
        /// Time stamp of the first one, in the stream's time base.
        let stamp: Int64
        /// The number of the first one: what is missing before it is a jump.
        let first: Int64
    }

    /// The format of what it gives out.
    let format: AudioFormat
    private let codec: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let base: AVRational
    private var converter: OpaquePointer?
    private var count: Int64 = 0
    /// The time stamp at which the next slice is due.
    private var due: Nanoseconds?

    /// Stamps that are off by less are the rounding of the stream.
    private static let tolerance = Nanoseconds.milliseconds(60)

    /// - Parameters:
    ///   - stream: The stream.
    ///   - address: The camera, for sentences.
    /// - Throws: `SourceError.refused` when nothing here decodes it.
    init(_ stream: UnsafeMutablePointer<AVStream>, _ address: SourceAddress) throws(SourceError) {
        let id = stream.pointee.codecpar?.pointee.codec_id ?? AV_CODEC_ID_NONE
        guard let parameters = stream.pointee.codecpar, let decoder = avcodec_find_decoder(id),
            let codec = avcodec_alloc_context3(decoder), let frame = av_frame_alloc()
        else {
            throw .refused(
                "\(address) sends audio that cannot be decoded here: set AAC or G.711 in the camera.")
        }
        (self.codec, self.frame, base) = (codec, frame, stream.pointee.time_base)
        avcodec_parameters_to_context(codec, parameters)
        codec.pointee.pkt_timebase = base
        let rate = Int(parameters.pointee.sample_rate)
        format = AudioFormat(
            rate: (8000...192_000).contains(rate) ? rate : 48_000,
            channels: min(max(Int(parameters.pointee.ch_layout.nb_channels), 1), 8))
        guard avcodec_open2(codec, decoder, nil) >= 0 else {
            throw .refused("\(address) sends audio that cannot be decoded: set AAC or G.711 in the camera.")
        }
    }

    deinit {
        var codec: UnsafeMutablePointer<AVCodecContext>? = codec
        avcodec_free_context(&codec)
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&frame)
        swr_free(&converter)
    }

    /// The stamps count another time from here on: how much is missing before the next packet, they do not tell.
    func interrupt() { due = nil }

    /// Decodes a packet.
    ///
    /// - Returns: What is ready.
    func decode(_ packet: UnsafeMutablePointer<AVPacket>) throws(SourceError) -> [Slice] {
        guard avcodec_send_packet(codec, packet) >= 0 else { return [] }
        var slices: [Slice] = []
        while avcodec_receive_frame(codec, frame) >= 0 {
            let stamp = frame.pointee.best_effort_timestamp
            guard stamp != ff_no_timestamp, let samples = converted(), !samples.isEmpty else { continue }
            let time = Nanoseconds(av_rescale_q(stamp, base, AVRational(num: 1, den: 1_000_000_000)))
            if let due, time - due > Self.tolerance, time - due < .seconds(3600) {
                count += Int64(rounding: (time - due).inSeconds * Double(format.rate))
            }
            let length = Int64(samples.count / format.channels)
            slices.append(Slice(samples: samples, stamp: stamp, first: count))
            count += length
            due = time + .duration(of: length, perSecond: Int64(format.rate))
        }
        return slices
    }

    private func converted() -> [Float]? {
        if converter == nil {
            var layout = AVChannelLayout()
            av_channel_layout_default(&layout, Int32(format.channels))
            var input = frame.pointee.ch_layout
            guard
                swr_alloc_set_opts2(
                    &converter, &layout, AV_SAMPLE_FMT_FLT, Int32(format.rate), &input,
                    AVSampleFormat(frame.pointee.format), frame.pointee.sample_rate, 0, nil) >= 0,
                swr_init(converter) >= 0
            else { return nil }
        }
        let room = Int(swr_get_out_samples(converter, frame.pointee.nb_samples))
        guard room > 0, room < 1 << 20 else { return nil }
        var samples = [Float](repeating: 0, count: room * format.channels)
        let count = samples.withUnsafeMutableBytes { memory in
            var start = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return media_convert_sound(converter, &start, Int32(room), frame)
        }
        guard count > 0 else { return nil }
        samples.removeLast(samples.count - Int(count) * format.channels)
        return samples
    }
}
