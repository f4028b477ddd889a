import MulticamMedia

/// The sample properties of one track that are collected during the recording for the final index of the
/// movie.
///
/// Each sample needs 4 bytes for its size. If its duration or its composition offset differs from the
/// previous sample, it needs 8 more bytes for each. A key frame needs 4 more bytes if the track also contains
/// other frames. Array growth at most doubles these numbers, so H.264 with B-frames needs less than 32 bytes
/// per sample, and MJPEG less than 9 bytes.
struct SampleIndex {
    private(set) var sizes: [UInt32] = []
    /// Durations in ticks of all samples except the last. The duration of the last sample isn't known until
    /// the next sample arrives.
    private(set) var durations = RunLengths()
    private(set) var compositionOffsets = RunLengths()
    /// File offset of each chunk. A chunk is a run of contiguous samples.
    private(set) var chunkOffsets: [UInt64] = []
    private(set) var chunkSampleCounts = RunLengths()
    /// Numbers of the key samples, at which decoding can start. Numbers start at 1. The value is `nil` as
    /// long as all samples are key samples.
    private(set) var keys: [UInt32]?
    private(set) var byteCount: Int64 = 0
    private(set) var firstDecode: Int64?
    private(set) var firstPresentation = Int64.max
    /// End of the last visible sample, in ticks relative to T0.
    private(set) var end: Int64 = 0
    private var lastDecode: Int64 = 0
    private(set) var lastDuration: Int64 = 0

    var sampleCount: Int { sizes.count }

    /// Adds samples that are stored contiguously in the file starting at `offset`.
    mutating func append(_ samples: [Sample], at offset: Int64) {
        guard !samples.isEmpty else { return }
        beginChunk(at: offset, sampleCount: samples.count)
        var place = offset
        for sample in samples {
            append(
                PlacedSample(
                    offset: place, byteCount: UInt32(sample.bytes.count), decode: sample.decode,
                    compositionOffset: sample.compositionOffset, duration: sample.duration,
                    isKey: sample.isKey))
            place += Int64(sample.bytes.count)
        }
    }

    /// Creates an index of samples that are already in a file. The samples must be in decoding order.
    init(_ samples: some Sequence<PlacedSample> = []) {
        var chunk: [PlacedSample] = []
        for sample in samples {
            if let last = chunk.last, last.range.upperBound != sample.offset {
                append(chunk: chunk)
                chunk = []
            }
            chunk.append(sample)
        }
        append(chunk: chunk)
    }

    /// Moves the positions of all samples by a number of bytes.
    mutating func moveSamples(by byteCount: Int64) {
        for index in chunkOffsets.indices { chunkOffsets[index] += UInt64(byteCount) }
    }

    private mutating func append(chunk: [PlacedSample]) {
        guard let first = chunk.first else { return }
        beginChunk(at: first.offset, sampleCount: chunk.count)
        for sample in chunk { append(sample) }
    }

    private mutating func beginChunk(at offset: Int64, sampleCount: Int) {
        chunkOffsets.append(UInt64(offset))
        chunkSampleCounts.append(UInt32(sampleCount))
    }

    /// Duration of the track on its decoding timeline, in ticks.
    var mediaDuration: Int64 {
        guard let firstDecode else { return 0 }
        return lastDecode - firstDecode + lastDuration
    }

    /// Size of the sample tables in the final index, in bytes: 4 for each sample size and key frame, 8 for
    /// each run of equal durations or composition offsets, 8 for each chunk offset, and 12 for each run of
    /// chunks with the same number of samples (ISO/IEC 14496-12, 8.6 and 8.7).
    var tableByteCount: Int64 {
        Int64(sizes.count + (keys?.count ?? 0)) * 4
            + Int64(durations.runs.count + compositionOffsets.runs.count + chunkOffsets.count + 1) * 8
            + Int64(chunkSampleCounts.runs.count) * 12
    }

    /// Maximum number of bytes by which one additional sample enlarges the sample tables.
    static let maxBytesPerSample: Int64 = 4 + 4 + 8 + 8 + 8 + 12

    /// Sets the end of the track, in ticks relative to T0. The last sample is shortened or extended to this
    /// end, unless the last samples are reordered.
    mutating func setEnd(_ end: Int64) {
        let duration = end - lastDecode
        if sampleCount > 0, self.end == lastDecode + lastDuration, duration > 0 { lastDuration = duration }
        self.end = end
    }

    private mutating func append(_ sample: PlacedSample) {
        if firstDecode == nil {
            firstDecode = sample.decode
            end = sample.end
        } else {
            durations.append(UInt32(clamping: sample.decode - lastDecode))
        }
        if sample.isKey {
            keys?.append(UInt32(sizes.count + 1))
        } else if keys == nil {
            keys = sizes.isEmpty ? [] : Array(1...UInt32(sizes.count))
        }
        sizes.append(sample.byteCount)
        compositionOffsets.append(sample.compositionOffset)
        byteCount += Int64(sample.byteCount)
        lastDecode = sample.decode
        lastDuration = sample.duration
        firstPresentation = min(firstPresentation, sample.presentation)
        end = max(end, sample.end)
    }
}

/// One frame or audio packet for a movie file. Times are in track ticks relative to T0.
struct Sample {
    let bytes: SharedBytes
    let presentation: Int64
    let decode: Int64
    var duration: Int64
    let isKey: Bool

    /// Ticks from decoding time to presentation time, at least 0.
    var compositionOffset: UInt32 { UInt32(clamping: presentation - decode) }
}

/// One frame or audio packet with its position in a file. Times are in track ticks relative to T0.
struct PlacedSample: Equatable {
    let offset: Int64
    let byteCount: UInt32
    let decode: Int64
    /// Ticks from decoding time to presentation time.
    let compositionOffset: UInt32
    var duration: Int64
    let isKey: Bool

    var presentation: Int64 { decode + Int64(compositionOffset) }
    var end: Int64 { presentation + duration }
    var range: Range<Int64> { offset..<offset + Int64(byteCount) }
}

extension PlacedSample {
    /// Returns a copy of the sample with times that are `ticks` later.
    func moved(by ticks: Int64) -> Self {
        ticks == 0
            ? self
            : Self(
                offset: offset, byteCount: byteCount, decode: decode + ticks,
                compositionOffset: compositionOffset, duration: duration, isKey: isKey)
    }
}

extension [PlacedSample] {
    /// Greatest common divisor of all sample durations in ticks; 0 if there are no samples. The last duration
    /// is ignored, because the last sample may be shortened.
    var interval: Int64 {
        let durations = count > 1 ? dropLast() : self[...]
        return durations.reduce(0) { divisor, sample in
            var (a, b) = (divisor, sample.duration)
            while b != 0 { (a, b) = (b, a % b) }
            return a
        }
    }

    /// Returns the time ranges in which samples are missing because the disk was too slow. The duration of
    /// the sample before a gap includes the gap.
    ///
    /// - Parameter interval: Number of ticks between two frames. Each sample duration is a multiple of this
    ///   number.
    /// - Returns: The time ranges in ticks relative to T0.
    func holes(interval: Int64) -> [Range<Int64>] {
        guard interval > 0 else { return [] }
        return dropLast().filter { $0.duration > interval }.map { $0.presentation + interval..<$0.end }
    }

    /// Returns the number of samples, in decoding order, that can be shown without a gap. Due to frame
    /// reordering, frames that are shown before the last decoded frame may be missing at the end of the file.
    ///
    /// - Parameter interval: Number of ticks between two frames.
    /// - Returns: The number of samples; the total number if no sample is missing.
    func prefixWithoutHole(interval: Int64) -> Int {
        guard interval > 0, contains(where: { $0.compositionOffset != 0 }),
            let first = map(\.presentation).min()
        else { return count }
        var (last, best) = (first, count)
        // Encoders reorder at most 32 frames. If none of the last 32 positions is free of gaps, the stream
        // itself has gaps.
        let earliest = count - 32
        for (index, sample) in enumerated() {
            last = Swift.max(last, sample.presentation)
            if index >= earliest, (last - first) / interval == Int64(index) { best = index + 1 }
        }
        return best
    }

    /// Maximum number of samples that are added at the end: more than four hours of frames or three hours of
    /// audio. If a damaged file claims that another track lasts for years, the last sample is extended to the
    /// claimed end instead.
    private static var maxAddedSamples: Int64 { 500_000 }

    /// Adjusts the list of samples so that it ends at a given time. Samples that are shown later are removed,
    /// and missing samples are added.
    ///
    /// - Parameters:
    ///   - end: End time in ticks relative to T0.
    ///   - codec: Codec of the track. A JPEG track is extended with its last frame, and an AAC track with
    ///     silence. Tracks with other codecs aren't extended.
    ///   - silence: Bytes to append to the file. If silence is needed, one packet of silence is added to
    ///     these bytes, and all added samples refer to this packet.
    ///   - channels: Number of audio channels.
    ///   - start: File offset at which the bytes in `silence` will be stored.
    mutating func adjustEnd(
        to end: Int64, codec: StreamParameters.Codec?, silence: inout [UInt8], channels: Int,
        startingAt start: Int64
    ) {
        while let last, last.presentation >= end, count > 1 { removeLast() }
        guard var next = last, next.end < end, next.duration > 0 else { return }
        let duration = codec == .mjpeg ? Swift.max(1, interval) : next.duration
        var decode = next.decode + next.duration
        guard (end - decode) / duration < Self.maxAddedSamples else { return }
        switch codec {
        case .mjpeg: break
        case .aac:
            guard let packet = SilentPacket.bytes(channels: channels) else { return }
            next = PlacedSample(
                offset: start + Int64(silence.count), byteCount: UInt32(packet.count), decode: next.decode,
                compositionOffset: 0, duration: next.duration, isKey: true)
            silence += packet
        case .h264, nil: return
        }
        while decode < end {
            append(
                PlacedSample(
                    offset: next.offset, byteCount: next.byteCount, decode: decode, compositionOffset: 0,
                    duration: duration, isKey: true))
            decode += duration
        }
    }
}

/// An AAC-LC packet that contains 1024 samples of silence. The packet is the same for all sample rates.
enum SilentPacket {
    /// Returns the bytes of the packet; `nil` for more than two channels, because their channel layout is ambiguous.
    static func bytes(channels: Int) -> [UInt8]? {
        switch channels {
        // The packet is a raw_data_block (ISO/IEC 14496-3, 4.4.2.1). The raw_data_block consists of an
        // element ID (3 bits), an instance tag (4 bits), a global gain (8 bits), an ics_info without scale
        // factor bands, no other tools, and ID_END (7).
        case 1: [0x00, 0xC8, 0x00, 0x80, 0x23, 0x80]
        case 2: [0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80]
        default: nil
        }
    }
}

/// A long sequence of numbers, stored with run-length encoding because adjacent numbers are usually equal.
struct RunLengths {
    /// A number and how many times it occurs in a row.
    struct Run: Equatable {
        let value: UInt32
        var count: UInt32
    }

    private(set) var runs: [Run] = []

    mutating func append(_ value: UInt32, count: UInt32 = 1) {
        if let last = runs.last, last.value == value, last.count < .max - count {
            runs[runs.count - 1].count += count
        } else {
            runs.append(Run(value: value, count: count))
        }
    }

    var isAllZero: Bool { runs.allSatisfy { $0.value == 0 } }
}
