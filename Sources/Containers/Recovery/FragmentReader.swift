/// Reads a fragment's list of samples (`moof`) as `FragmentBox` writes it.
struct FragmentReader {
    /// The samples of one track in the fragment.
    struct Run {
        let trackNumber: UInt32
        /// Samples with times on the fragments' own timeline, in ticks of the track.
        let samples: [PlacedSample]
    }

    let sequence: UInt32
    let runs: [Run]

    /// Reads the list; `nil` where it is not as `FragmentBox` writes it.
    ///
    /// - Parameters:
    ///   - content: Content of the `moof` box.
    ///   - start: Offset of the box in the file, from which the samples' offsets count.
    init?(_ content: BoxReader, start: Int64) {
        guard var header = content.content("mfhd"), header.readVersion() != nil, let number = header.read32()
        else {
            return nil
        }
        sequence = number
        var runs: [Run] = []
        for box in content.boxes() where box.type == "traf" {
            guard let run = Self.readRun(box.content, start: start),
                !runs.contains(where: { $0.trackNumber == run.trackNumber })
            else { return nil }
            runs.append(run)
        }
        guard !runs.isEmpty else { return nil }
        self.runs = runs
    }

    private static func readRun(_ content: BoxReader, start: Int64) -> Run? {
        guard var header = content.content("tfhd"), header.readVersion() != nil, let number = header.read32(),
            var date = content.content("tfdt"), date.readVersion()?.version == 1, let first = date.read64(),
            let decode = Int64(exactly: first), decode < 1 << 60,
            var list = content.content("trun"), let (_, flags) = list.readVersion(), flags & ~0x800 == 0x701,
            let count = list.read32(), let offset = list.read32()
        else { return nil }
        let isReordered = flags & 0x800 != 0
        guard count > 0, list.rest == Int(count) * (isReordered ? 16 : 12) else { return nil }
        var samples: [PlacedSample] = []
        samples.reserveCapacity(Int(count))
        var (place, time) = (start + Int64(offset), decode)
        for _ in 0..<count {
            guard let duration = list.read32(), let size = list.read32(), let sampleFlags = list.read32(),
                let compositionOffset = isReordered ? list.read32() : 0
            else { return nil }
            samples.append(
                PlacedSample(
                    offset: place, byteCount: size, decode: time, compositionOffset: compositionOffset,
                    duration: Int64(duration), isKey: sampleFlags & 0x1_0000 == 0))
            place += Int64(size)
            time += Int64(duration)
        }
        return Run(trackNumber: number, samples: samples)
    }
}
