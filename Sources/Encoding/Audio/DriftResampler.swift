internal import CMedia
import Media

/// Resamples a device's audio to the session's rate, stretched or shortened by parts per million, with libswresample.
/// Used by one thread alone.
///
/// libswresample steps through its input in whole units of about one part per million, so a correction cannot be set
/// exactly. But it tells exactly where it stands: before each slice the position that the corrections so far ask for is
/// compared with the real one, and the difference is made up for over the next second. So the error never grows, and
/// the audible rate keeps to the corrections within `largestSteering`.
final class DriftResampler: Resampling {
    private let format: AudioFormat
    private let name: String
    private let context: OwnedResampler
    private var partsPerMillion = 0.0
    /// Largest correction in parts per million that is added to make up for a wrong position, so that the pitch never
    /// jumps. The library's steps leave some hundredths of a part per million to make up.
    private static let largestSteering = 1.0
    /// Input since the start or the last `drain`, in samples per channel at the device's rate.
    private var inputCount: Int64 = 0
    private var outputCount: Int64 = 0
    /// Output position, in samples per channel, that belongs to the input position `settledInput`.
    private var settledOutput = 0.0
    private var settledInput = 0.0

    init(from format: AudioFormat, name: String) throws(EncodingError) {
        guard (1...8).contains(format.channels), (8_000...192_000).contains(format.rate) else {
            throw EncodingError(
                subject: name, operation: "opening the resampler",
                reason:
                    "\(format.channels) channels at \(format.rate) Hz: 1 to 8 at 8000 to 192000 are possible")
        }
        self.format = format
        self.name = name
        context = try OwnedResampler(
            name, from: AV_SAMPLE_FMT_FLT, rate: format.rate, to: AV_SAMPLE_FMT_FLT,
            rate: AudioFormat.sessionRate,
            channels: format.channels)
        // Resampling even between equal rates; between the filter's phases it interpolates, as the ratio is never round.
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
                subject: name, operation: "correcting the rate",
                reason: "\(partsPerMillion) parts per million is more than any clock is off")
        }
        settle()
        self.partsPerMillion = partsPerMillion
    }

    func convert(_ samples: [Float]) throws(EncodingError) -> [Float] {
        precondition(samples.count % format.channels == 0, "every channel has the same number of samples")
        try steer()
        inputCount += Int64(samples.count / format.channels)
        return try run(samples)
    }

    func drain() throws(EncodingError) -> [Float] {
        let rest = try run(nil)
        try start()
        return rest
    }

    /// The input position of the next output sample, in samples per channel at the device's rate.
    private var position: Double {
        // Before the first output the library counts the filter's half length as already consumed.
        guard outputCount > 0 else { return 0 }
        let unit = Int64(format.rate) * 1_000_000
        return Double(inputCount) - Double(swr_get_delay(context.pointer, unit)) / 1_000_000
    }

    private var wantedRatio: Double {
        Double(AudioFormat.sessionRate) / Double(format.rate) * (1 + partsPerMillion * 1e-6)
    }

    /// Adds what was converted so far to the settled positions, under the correction that was in force.
    private func settle() {
        let now = position
        settledOutput += (now - settledInput) * wantedRatio
        settledInput = now
    }

    /// Sets the library's step for the next samples, so that in one second the output stands where it should.
    private func steer() throws(EncodingError) {
        settle()
        let behind = settledOutput - Double(outputCount)
        let steering = behind / Double(AudioFormat.sessionRate) * 1e6
        let needed = partsPerMillion + min(max(steering, -Self.largestSteering), Self.largestSteering)
        // The distance is never reached: it is only the unit in which the library takes a ratio.
        let distance: Int32 = 1 << 24
        let delta = Int32(rounding: needed * 1e-6 * Double(distance))
        let result = swr_set_compensation(context.pointer, delta, distance)
        guard result >= 0 else { throw EncodingError(name, "swr_set_compensation", code: result) }
    }

    /// Converts samples, or flushes.
    ///
    /// - Parameter samples: Interleaved samples at the device's rate; `nil` flushes.
    /// - Returns: The samples that are ready, interleaved at the session's rate.
    /// - Throws: When libswresample fails.
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
