import Media

/// The facts of one track's samples that the index at a movie's end needs, kept while recording.
///
/// A sample costs 4 bytes for its size and, where they differ from the sample before, 8 for its duration and 8 for its
/// composition offset; a key frame among others costs 4. Growing arrays at worst double that: H.264 with B-frames stays below 32
/// bytes per sample, MJPEG below 9.
struct SampleIndex {
    private(set) var sizes: [UInt32] = []
    /// Durations in ticks of all samples but the last, whose duration is known when the next one comes.
    private(set) var durations = RunLengths()
    private(set) var compositionOffsets = RunLengths()
    /// Offset in the file of each chunk, a run of neighbouring samples.
    private(set) var chunkOffsets: [UInt64] = []
    private(set) var chunkSampleCounts = RunLengths()
    /// Numbers, from 1, of the samples at which decoding can begin; `nil` while that is every sample.
    private(set) var keys: [UInt32]?
    private(set) var byteCount: Int64 = 0
    private(set) var firstDecode: Int64?
    private(set) var firstPresentation = Int64.max
    /// End of the last shown sample, in ticks since T0.
    private(set) var end: Int64 = 0
    private var lastDecode: Int64 = 0
    private(set) var lastDuration: Int64 = 0

    var sampleCount: Int { sizes.count }

    /// Adds samples that lie in the file one after the other from `offset` on.
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

    /// Creates the index of samples that are in a file, in decoding order.
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

    private mutating func append(chunk: [PlacedSample]) {
        guard let first = chunk.first else { return }
        beginChunk(at: first.offset, sampleCount: chunk.count)
        for sample in chunk { append(sample) }
    }

    private mutating func beginChunk(at offset: Int64, sampleCount: Int) {
        chunkOffsets.append(UInt64(offset))
        chunkSampleCounts.append(UInt32(sampleCount))
    }

    /// Length of the track on its own timeline of decoding, in ticks.
    var mediaDuration: Int64 {
        guard let firstDecode else { return 0 }
        return lastDecode - firstDecode + lastDuration
    }

    /// Size of the tables at the file's end in bytes: 4 for each size and key frame, 8 for each run of equal durations or
    /// composition offsets, 8 for each chunk's offset, 12 for each run of chunks with equally many samples (ISO/IEC 14496-12,
    /// 8.6 and 8.7).
    var tableByteCount: Int64 {
        Int64(sizes.count + (keys?.count ?? 0)) * 4
            + Int64(durations.runs.count + compositionOffsets.runs.count + chunkOffsets.count + 1) * 8
            + Int64(chunkSampleCounts.runs.count) * 12
    }

    /// Largest number of bytes that one more sample adds to the tables.
    static let mostBytesPerSample: Int64 = 4 + 4 + 8 + 8 + 8 + 12

    /// Sets the end of the track in ticks since T0, and makes the last sample end there where nothing is reordered.
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
