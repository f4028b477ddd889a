/// Finds big-endian numbers and boxes in an index's bytes, and never reads outside them.
struct IndexCursor {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func number(_ place: Int, _ count: Int) -> UInt64? {
        guard place >= 0, place + count <= bytes.count else { return nil }
        var value: UInt64 = 0
        for byte in bytes[place..<place + count] { value = value << 8 | UInt64(byte) }
        return value
    }

    func name(_ place: Int) -> String { String(decoding: bytes.dropFirst(place).prefix(4), as: UTF8.self) }

    /// The boxes in a part, up to the first that cannot be.
    func boxes(in part: Range<Int>) -> [(name: String, content: Range<Int>)] {
        var found: [(name: String, content: Range<Int>)] = []
        var place = part.lowerBound
        while place + 8 <= part.upperBound, let size = number(place, 4).map({ Int($0) }), size >= 8,
            size <= part.upperBound - place
        {
            found.append((name(place + 4), place + 8..<place + size))
            place += size
        }
        return found
    }

    /// The content of the first box at a path of names, each within the one before.
    func content(_ path: String..., in part: Range<Int>) -> Range<Int>? {
        var part = part
        for name in path {
            guard let box = boxes(in: part).first(where: { $0.name == name }) else { return nil }
            part = box.content
        }
        return part
    }

    /// How many samples the runs of a table are; `nil` where it is damaged.
    func sumOfRuns(_ name: String, in table: Range<Int>) -> Int? {
        guard let box = content(name, in: table), let runs = number(box.lowerBound + 4, 4),
            Int(runs) * 8 + 8 == box.count
        else { return nil }
        return (0..<Int(runs)).reduce(0) { $0 + Int(number(box.lowerBound + 8 + $1 * 8, 4) ?? 0) }
    }

    /// Where the first and the last sample lie, if every chunk lies in the media.
    func firstAndLast(sizes: Range<Int>, count: Int, in table: Range<Int>, media: Range<Int64>) -> [(
        place: Int64, size: UInt32
    )]? {
        guard let chunks = content("co64", in: table), let chunkCount = number(chunks.lowerBound + 4, 4),
            Int(chunkCount) * 8 + 8 == chunks.count, let runs = content("stsc", in: table),
            let runCount = number(runs.lowerBound + 4, 4), Int(runCount) * 12 + 8 == runs.count
        else { return nil }
        func size(_ sample: Int) -> UInt32 { UInt32(number(sizes.lowerBound + 12 + sample * 4, 4) ?? 0) }
        var (run, sample) = (-1, 0)
        var last: (place: Int64, size: UInt32)?
        var first: (place: Int64, size: UInt32)?
        for chunk in 0..<Int(chunkCount) {
            let next = run + 1
            if next < Int(runCount), number(runs.lowerBound + 8 + next * 12, 4) == UInt64(chunk + 1) {
                run = next
            }
            guard run >= 0, let samples = number(runs.lowerBound + 12 + run * 12, 4),
                Int(samples) <= count - sample,
                var place = number(chunks.lowerBound + 8 + chunk * 8, 8).flatMap({ Int64(exactly: $0) }),
                media.contains(place)
            else { return nil }
            for _ in 0..<Int(samples) {
                last = (place, size(sample))
                if first == nil { first = last }
                place += Int64(size(sample))
                sample += 1
            }
            guard place <= media.upperBound else { return nil }
        }
        guard sample == count, let first, let last else { return nil }
        return [first, last]
    }
}
