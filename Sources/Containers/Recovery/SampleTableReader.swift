/// Reads the position and time of each sample (`stbl`) as `SampleTable` writes them.
enum SampleTableReader {
    /// The samples with decode times from 0 on, in ticks of the track; `nil` where the tables contradict each other.
    static func read(_ table: BoxReader, timeScale: Int64) -> [PlacedSample]? {
        guard let sizes = sizes(table.content("stsz")),
            let offsets = offsets(table, sizes: sizes),
            let durations = runs(table.content("stts"), count: sizes.count)
        else { return nil }
        var compositionOffsets = [UInt32](repeating: 0, count: sizes.count)
        if let box = table.content("ctts") {
            guard let read = runs(box, count: sizes.count) else { return nil }
            compositionOffsets = read
        }
        var isKey = [Bool](repeating: true, count: sizes.count)
        if let box = table.content("stss") {
            guard let keys = keys(box, count: sizes.count) else { return nil }
            isKey = keys
        }
        var samples: [PlacedSample] = []
        samples.reserveCapacity(sizes.count)
        var decode: Int64 = 0
        for index in sizes.indices {
            guard MovieBoxReader.isPlausible(decode, timeScale: timeScale) else { return nil }
            samples.append(
                PlacedSample(
                    offset: offsets[index], byteCount: sizes[index], decode: decode,
                    compositionOffset: compositionOffsets[index], duration: Int64(durations[index]),
                    isKey: isKey[index]))
            decode += Int64(durations[index])
        }
        return samples
    }

    private static func sizes(_ box: BoxReader?) -> [UInt32]? {
        guard var reader = box, reader.readVersion() != nil, reader.read32() == 0,
            let count = reader.read32(),
            reader.rest == Int(count) * 4
        else { return nil }
        return (0..<count).compactMap { _ in reader.read32() }
    }

    /// The values of a table of runs, whose lengths must add up to `count`.
    private static func runs(_ box: BoxReader?, count: Int) -> [UInt32]? {
        guard var reader = box, reader.readVersion() != nil, let runs = reader.read32(),
            reader.rest == Int(runs) * 8
        else { return nil }
        var values: [UInt32] = []
        values.reserveCapacity(count)
        for _ in 0..<runs {
            guard let length = reader.read32(), let value = reader.read32(),
                Int(length) <= count - values.count
            else { return nil }
            values.append(contentsOf: repeatElement(value, count: Int(length)))
        }
        return values.count == count ? values : nil
    }

    private static func keys(_ box: BoxReader, count: Int) -> [Bool]? {
        var reader = box
        guard reader.readVersion() != nil, let keys = reader.read32(), reader.rest == Int(keys) * 4 else {
            return nil
        }
        var isKey = [Bool](repeating: false, count: count)
        for _ in 0..<keys {
            guard let number = reader.read32(), number >= 1, Int(number) <= count else { return nil }
            isKey[Int(number) - 1] = true
        }
        return isKey
    }

    /// Offset of each sample in the file, from the chunks and the number of samples in each.
    private static func offsets(_ table: BoxReader, sizes: [UInt32]) -> [Int64]? {
        guard var places = table.content("co64"), places.readVersion() != nil, let chunks = places.read32(),
            places.rest == Int(chunks) * 8,
            var counts = table.content("stsc"), counts.readVersion() != nil, let runs = counts.read32(),
            counts.rest == Int(runs) * 12
        else { return nil }
        var starts: [(chunk: UInt32, samples: UInt32)] = []
        for _ in 0..<runs {
            guard let chunk = counts.read32(), let samples = counts.read32(), counts.read32() == 1,
                chunk > starts.last?.chunk ?? 0
            else { return nil }
            starts.append((chunk, samples))
        }
        guard chunks == 0 || starts.first?.chunk == 1 else { return nil }
        var offsets: [Int64] = []
        offsets.reserveCapacity(sizes.count)
        var run = 0
        for chunk in 0..<chunks {
            if run + 1 < starts.count, chunk + 1 >= starts[run + 1].chunk { run += 1 }
            guard let place = places.read64().flatMap({ Int64(exactly: $0) }), place < 1 << 60,
                Int(starts[run].samples) <= sizes.count - offsets.count
            else { return nil }
            var offset = place
            for _ in 0..<starts[run].samples {
                offsets.append(offset)
                offset += Int64(sizes[offsets.count - 1])
            }
        }
        return offsets.count == sizes.count ? offsets : nil
    }
}
