internal import CMedia
import Media

/// Converts decoded audio of any sample format to interleaved 32-bit floats of the same rate and channels.
final class InterleavedAudio {
    private let subject: String
    private let format: AudioFormat
    private var sampleFormat = AV_SAMPLE_FMT_NONE
    private var context: OwnedResampler?

    init(_ subject: String, _ format: AudioFormat) {
        self.subject = subject
        self.format = format
    }

    /// Converts a decoded frame.
    ///
    /// - Throws: When the frame's rate or channel count differs from the file's, or the conversion fails.
    func samples(of frame: UnsafeMutablePointer<AVFrame>) throws(EncodingError) -> [Float] {
        let facts = frame.pointee
        guard Int(facts.ch_layout.nb_channels) == format.channels, Int(facts.sample_rate) == format.rate
        else {
            throw EncodingError(
                subject: subject, operation: "decoding audio",
                reason: "rate or channels change in the middle of the file")
        }
        let own = AVSampleFormat(facts.format)
        if own != sampleFormat {
            let made = try OwnedResampler(
                subject, from: own, rate: format.rate, to: AV_SAMPLE_FMT_FLT, rate: format.rate,
                channels: format.channels)
            let result = swr_init(made.pointer)
            guard result >= 0 else { throw EncodingError(subject, "swr_init", code: result) }
            context = consume made
            sampleFormat = own
        }
        guard let pointer = context?.pointer else { preconditionFailure("the converter was just made") }
        let count = Int(facts.nb_samples)
        var result: Int32 = 0
        let samples = [Float](unsafeUninitializedCapacity: count * format.channels) { buffer, written in
            var output: UnsafeMutablePointer<UInt8>? = UnsafeMutableRawPointer(buffer.baseAddress)?
                .assumingMemoryBound(to: UInt8.self)
            result = media_convert_sound(pointer, &output, Int32(count), frame)
            written = Int(max(0, result)) * format.channels
        }
        guard result >= 0 else { throw EncodingError(subject, "swr_convert", code: result) }
        return samples
    }
}
