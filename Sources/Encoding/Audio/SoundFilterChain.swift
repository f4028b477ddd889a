internal import CMulticamMedia
internal import Glibc
package import MulticamMedia

/// A chain of libavfilter's filters. The output is aligned with the input to the sample. Not thread-safe: use it from one
/// thread only.
///
/// Some filters delay the audio, and the delay depends on the library's version. It is therefore measured, once per
/// process and processing: a short burst of noise passes through a chain, and the output is compared with it.
final class SoundFilterChain: SoundFiltering {
    let latency: Int
    private let chain: OwnedChain
    private let channels: Int
    private let name: String
    /// Samples per channel of the delay that are still to be discarded from the beginning of the output.
    private var excess: Int

    /// Delays in samples that were measured, by processing.
    private static let delays = ConditionLock([SoundProcessing: Int]())

    /// Creates a filter chain.
    ///
    /// - Parameters:
    ///   - processing: The filters; at least one.
    ///   - channels: 1 or 2 channels.
    ///   - name: Name of the track, used in messages.
    /// - Throws: `EncodingError` if libavfilter can't be loaded, or it lacks a filter.
    init(_ processing: SoundProcessing, channels: Int, name: String) throws(EncodingError) {
        self.channels = channels
        self.name = name
        chain = try OwnedChain(processing.filterDescription, channels: channels, name: name)
        excess = try Self.delay(of: processing, name: name)
        // Filters work on blocks of this length at most, so that a complete block must be passed before output arrives.
        latency = excess + Self.blockLength
    }

    /// Maximum number of samples per channel that filters collect before they process them.
    private static let blockLength = 2048

    func filter(_ samples: [Float]) throws(EncodingError) -> [Float] {
        try chain.send(samples)
        var filtered = try chain.receive()
        let discarded = min(excess * channels, filtered.count)
        filtered.removeFirst(discarded)
        excess -= discarded / channels
        guard filtered.allSatisfy(\.isFinite) else {
            throw EncodingError(
                subject: name, operation: "filtering the audio", reason: "a filter returned invalid samples")
        }
        return filtered
    }

    private static func delay(of processing: SoundProcessing, name: String) throws(EncodingError) -> Int {
        if let known = delays.withLock({ $0[processing] }) { return known }
        let measured = try measuredDelay(of: processing, name: name)
        delays.withLock { $0[processing] = measured }
        return measured
    }

    /// Measures the delay as the maximum of the cross-correlation of a burst of noise at −26 dBFS and the output.
    private static func measuredDelay(of processing: SoundProcessing, name: String) throws(EncodingError)
        -> Int
    {
        let chain = try OwnedChain(processing.filterDescription, channels: 1, name: name)
        var seed: UInt32 = 1
        let (start, length, longest) = (4800, 2400, 4800)
        var samples = [Float](repeating: 0, count: start + length + longest + 2 * blockLength)
        for index in start..<start + length {
            seed = seed &* 1_664_525 &+ 1_013_904_223
            samples[index] = (Float(seed >> 8) / Float(1 << 23) - 1) * 0.1
        }
        var output: [Float] = []
        for block in stride(from: 0, to: samples.count, by: 960) {
            try chain.send(Array(samples[block..<min(block + 960, samples.count)]))
            output += try chain.receive()
        }
        guard output.count >= start + length + longest else {
            throw EncodingError(
                subject: name, operation: "measuring the delay of the filters",
                reason: "the output is incomplete")
        }
        return samples.withUnsafeBufferPointer { samples in
            output.withUnsafeBufferPointer { output in
                guard let burst = samples.baseAddress, let delayed = output.baseAddress else { return 0 }
                return media_delay(burst + start, delayed + start, length, longest)
            }
        }
    }
}

extension SoundProcessing {
    /// The filters in libavfilter's syntax; see ffmpeg-filters(1).
    package var filterDescription: String {
        func linear(_ decibels: Double) -> Double { pow(10, decibels / 20) }
        var filters: [String] = []
        if let frequency = self[.highPass] { filters.append("highpass=f=\(frequency)") }
        if let reduction = self[.noiseReduction] { filters.append("afftdn=nr=\(reduction):nf=-50:tn=1") }
        if let level = self[.gate] {
            filters.append(
                "agate=threshold=\(linear(level)):range=\(linear(-20)):ratio=3:attack=5:release=200:knee=4")
        }
        if let strength = self[.deEsser] { filters.append("deesser=i=\(strength)") }
        if let threshold = self[.threshold] {
            let ratio = self[.ratio] ?? 3
            filters.append(
                "acompressor=threshold=\(linear(threshold)):ratio=\(ratio):attack=10:release=200:knee=6:"
                    + "makeup=\(linear(self[.makeup] ?? 0))")
        }
        if let gain = self[.bass] { filters.append("bass=g=\(gain):f=200") }
        if let gain = self[.presence] { filters.append("equalizer=f=3000:t=q:w=0.8:g=\(gain)") }
        if let gain = self[.treble] { filters.append("treble=g=\(gain):f=8000") }
        if let peak = self[.limit] {
            // Peaks between samples are limited at four times the rate, as ITU-R BS.1770-4 measures them.
            filters.append(
                "aresample=192000,alimiter=limit=\(linear(peak)):level=0:attack=5:release=50:latency=1,aresample=48000"
            )
        }
        return filters.joined(separator: ",")
    }
}

/// A `media_sound_chain` with exactly one owner.
private struct OwnedChain: ~Copyable {
    private let pointer: OpaquePointer
    private let channels: Int
    private let name: String

    init(_ description: String, channels: Int, name: String) throws(EncodingError) {
        LibraryLog.silenced
        self.channels = channels
        self.name = name
        var opened: OpaquePointer?
        var problem = [CChar](repeating: 0, count: 640)
        let code = media_sound_chain_open(
            description, Int32(AudioFormat.sessionRate), Int32(channels), &opened, &problem,
            Int32(problem.count))
        guard code >= 0, let opened else {
            let bytes = problem.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let text = String(decoding: bytes, as: UTF8.self).printable(limit: 300)
            guard code != ff_external else {
                throw EncodingError(
                    subject: name, operation: "loading libavfilter",
                    reason:
                        "\(text); install the package libavfilter\(media_sound_library_version()), and restart multicam"
                )
            }
            throw EncodingError(name, text, code: code)
        }
        pointer = opened
    }

    deinit { media_sound_chain_close(pointer) }

    func send(_ samples: [Float]) throws(EncodingError) {
        let code = media_sound_chain_send(pointer, samples, Int32(samples.count / channels))
        guard code >= 0 else { throw EncodingError(name, "filtering the audio", code: code) }
    }

    func receive() throws(EncodingError) -> [Float] {
        var received: [Float] = []
        while true {
            var samples: UnsafePointer<Float>?
            let count = media_sound_chain_receive(pointer, &samples)
            guard count >= 0 else { throw EncodingError(name, "filtering the audio", code: count) }
            guard count > 0, let samples else { return received }
            received += UnsafeBufferPointer(start: samples, count: Int(count) * channels)
        }
    }
}
