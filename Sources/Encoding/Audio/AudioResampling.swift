internal import CMulticamMedia
import MulticamMedia

/// Resamples a device's audio to the session's sample rate with libswresample. A drift correction in parts
/// per million stretches or compresses the audio. Not thread-safe: use it from one thread only.
///
/// libswresample sets its resampling ratio in steps of about one part per million, so a correction can't be
/// set exactly. However, libswresample reports its exact input position. Before each slice of audio, this
/// position is compared with the position that results from all corrections so far, and the difference is
/// compensated over the next second. The error therefore never accumulates, and the audible rate matches the
/// corrections to within `largestSteering`.
final class DriftResampler: Resampling {
    private let format: AudioFormat
    private let name: String
    private let context: OwnedResampler
    private var partsPerMillion = 0.0
    /// Maximum additional correction, in parts per million, to compensate for a position error. The limit
    /// prevents audible jumps in pitch. The library's step size causes errors of only a few hundredths of a
    /// part per million.
    private static let largestSteering = 1.0
    /// Number of input samples per channel since the start or the last `drain`, at the device's rate.
    private var inputCount: Int64 = 0
    private var outputCount: Int64 = 0
    /// Output position, in samples per channel, that corresponds to the input position `settledInput`.
    private var settledOutput = 0.0
    private var settledInput = 0.0

    init(from format: AudioFormat, name: String) throws(EncodingError) {
        guard (1...8).contains(format.channels), (8_000...192_000).contains(format.rate) else {
            throw EncodingError(
                subject: name, operation: "opening the resampler",
                reason:
                    "the format (channels: \(format.channels), sample rate: \(format.rate) Hz) is not supported; only 1 to 8 channels at 8000 to 192000 Hz are supported"
            )
        }
        self.format = format
        self.name = name
        context = try OwnedResampler(
            name, from: AV_SAMPLE_FMT_FLT, rate: format.rate, to: AV_SAMPLE_FMT_FLT,
            rate: AudioFormat.sessionRate,
            channels: format.channels)
        // Resample even if the nominal rates are equal. Interpolate between the filter's phases, because the
        // actual ratio of the rates is never a simple fraction.
        for (option, value) in [
            ("flags", Int64(SWR_FLAG_RESAMPLE)), ("filter_size", 32), ("phase_shift", 10),
            ("linear_interp", 1),
            ("exact_rational", 0),
        ] {
            let result = av_opt_set_int(UnsafeMutableRawPointer(context.pointer), option, value, 0)
            guard result >= 0 else { throw EncodingError(name, "setting \(option)", code: result) }
        }
        try start()
    }

    private func start() throws(EncodingError) {
        let result = swr_init(context.pointer)
        guard result >= 0 else { throw EncodingError(name, "swr_init", code: result) }
        (inputCount, outputCount, settledInput, settledOutput) = (0, 0, 0, 0)
    }

    var delay: Nanoseconds { .seconds(rounding: (Double(inputCount) - position) / Double(format.rate)) }

    func correct(partsPerMillion: Double) throws(EncodingError) {
        guard abs(partsPerMillion) <= 10_000 else {
            throw EncodingError(
                subject: name, operation: "correcting the sample rate",
                reason: "a clock error of \(partsPerMillion) ppm is not plausible")
        }
        settle()
        self.partsPerMillion = partsPerMillion
    }

    func convert(_ samples: [Float]) throws(EncodingError) -> [Float] {
        precondition(
            samples.count % format.channels == 0, "all channels must have the same number of samples")
        try steer()
        inputCount += Int64(samples.count / format.channels)
        return try run(samples)
    }

    func drain() throws(EncodingError) -> [Float] {
        let rest = try run(nil)
        try start()
        return rest
    }

    /// Input position of the next output sample, in samples per channel at the device's rate.
    private var position: Double {
        // Before the first output, the library's position already includes half the filter length.
        guard outputCount > 0 else { return 0 }
        let unit = Int64(format.rate) * 1_000_000
        return Double(inputCount) - Double(swr_get_delay(context.pointer, unit)) / 1_000_000
    }

    private var wantedRatio: Double {
        Double(AudioFormat.sessionRate) / Double(format.rate) * (1 + partsPerMillion * 1e-6)
    }

    /// Updates the settled input and output positions with the audio converted at the previous correction.
    private func settle() {
        let now = position
        settledOutput += (now - settledInput) * wantedRatio
        settledInput = now
    }

    /// Sets the library's step for the next samples, so that the output reaches its target position within one second.
    private func steer() throws(EncodingError) {
        settle()
        let behind = settledOutput - Double(outputCount)
        let steering = behind / Double(AudioFormat.sessionRate) * 1e6
        let needed = partsPerMillion + min(max(steering, -Self.largestSteering), Self.largestSteering)
        // The library expresses a correction as samples per distance. The distance set here only determines
        // the resolution of the correction.
        let distance: Int32 = 1 << 24
        let delta = Int32(rounding: needed * 1e-6 * Double(distance))
        let result = swr_set_compensation(context.pointer, delta, distance)
        guard result >= 0 else { throw EncodingError(name, "swr_set_compensation", code: result) }
    }

    /// Converts samples, or flushes the resampler.
    ///
    /// - Parameter samples: Interleaved samples at the device's rate; `nil` flushes the resampler.
    /// - Returns: The samples that are ready, interleaved at the session's rate.
    /// - Throws: An error if libswresample fails.
    private func run(_ samples: [Float]?) throws(EncodingError) -> [Float] {
        let inputFrames = Int32((samples?.count ?? 0) / format.channels)
        let capacity = Int(max(0, swr_get_out_samples(context.pointer, inputFrames))) + 64
        var result: Int32 = 0
        let output = [Float](unsafeUninitializedCapacity: capacity * format.channels) { buffer, written in
            let target = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: UInt8.self)
            if let samples {
                samples.withUnsafeBytes { bytes in
                    let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    result = media_resample(context.pointer, target, Int32(capacity), source, inputFrames)
                }
            } else {
                result = media_resample(context.pointer, target, Int32(capacity), nil, 0)
            }
            written = Int(max(0, result)) * format.channels
        }
        guard result >= 0 else { throw EncodingError(name, "swr_convert", code: result) }
        outputCount += Int64(result)
        return output
    }
}

/// Converts decoded audio of any sample format to interleaved 32-bit floats with the same sample rate and channels.
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
    /// - Throws: An error if the frame's sample rate or channel count differs from the file's, or the conversion fails.
    func samples(of frame: UnsafeMutablePointer<AVFrame>) throws(EncodingError) -> [Float] {
        let facts = frame.pointee
        guard Int(facts.ch_layout.nb_channels) == format.channels, Int(facts.sample_rate) == format.rate
        else {
            throw EncodingError(
                subject: subject, operation: "decoding audio",
                reason: "the sample rate or channel count changes in the middle of the file")
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
        guard let pointer = context?.pointer else { preconditionFailure("the converter must exist") }
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

/// An `SwrContext` with exactly one owner.
struct OwnedResampler: ~Copyable {
    let pointer: OpaquePointer

    /// Allocates a resampling context with the same channels for input and output. The context isn't
    /// initialized yet, so options can still be set.
    init(
        _ subject: String, from: AVSampleFormat, rate: Int, to: AVSampleFormat, rate outputRate: Int,
        channels: Int
    ) throws(EncodingError) {
        var (layout, outputLayout) = (AVChannelLayout(), AVChannelLayout())
        av_channel_layout_default(&layout, Int32(channels))
        av_channel_layout_default(&outputLayout, Int32(channels))
        var context: OpaquePointer?
        let result = swr_alloc_set_opts2(
            &context, &outputLayout, to, Int32(outputRate), &layout, from, Int32(rate), 0, nil)
        guard result >= 0, let context else {
            throw EncodingError(subject, "swr_alloc_set_opts2", code: result)
        }
        pointer = context
    }

    deinit {
        var context: OpaquePointer? = pointer
        swr_free(&context)
    }
}
