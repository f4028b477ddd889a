import Foundation

/// The streams of a finished movie. Each one contains the concatenated bytes of its packets, regardless of
/// interleaving.
struct MovieStreams {
    struct Stream: Equatable {
        let packetSizes: [Int]
        let bytes: Data
        /// Number of frames that are needed only to decode other frames, and hidden by the track's edit list.
        let hiddenCount: Int
    }

    let streams: [Stream]

    /// Reads a movie. Returns `nil` if the file isn't a finished movie.
    init?(_ file: Data) {
        let bytes = [UInt8](file)
        guard let index = Self.boxes(bytes, 0..<bytes.count).first(where: { $0.type == "moov" }) else {
            return nil
        }
        var streams: [Stream] = []
        for track in Self.boxes(bytes, index.content) where track.type == "trak" {
            guard let table = Self.box(["mdia", "minf", "stbl"], bytes, track.content),
                let stream = Self.stream(bytes, table, hiddenBefore: Self.editStart(bytes, track.content))
            else { return nil }
            streams.append(stream)
        }
        self.streams = streams
    }

    /// Returns the start of the visible part in the track's own time; 0 without an edit list.
    private static func editStart(_ bytes: [UInt8], _ track: Range<Int>) -> Int {
        guard let edits = box(["edts", "elst"], bytes, track) else { return 0 }
        let width = number(bytes, edits.lowerBound, 1) == 1 ? 8 : 4
        let starts = (0..<number(bytes, edits.lowerBound + 4, 4)).map { edit in
            number(bytes, edits.lowerBound + 8 + edit * (2 * width + 4) + width, width)
        }
        // A value of −1 marks an empty edit.
        return starts.first { $0 >= 0 && $0 < Int(UInt32.max) } ?? 0
    }

    /// Returns the expanded values of a run-length table. Each run is a count and a 32-bit value.
    private static func values(_ bytes: [UInt8], _ runs: Range<Int>) -> [Int] {
        (0..<number(bytes, runs.lowerBound + 4, 4)).flatMap { run in
            let entry = runs.lowerBound + 8 + 8 * run
            let value = Int(Int32(truncatingIfNeeded: number(bytes, entry + 4, 4)))
            return Array(repeating: value, count: min(number(bytes, entry, 4), 1_000_000))
        }
    }

    private static func stream(
        _ bytes: [UInt8], _ table: Range<Int>, hiddenBefore start: Int
    ) -> Stream? {
        guard let sizes = box(["stsz"], bytes, table), let runs = box(["stsc"], bytes, table) else {
            return nil
        }
        let wide = box(["co64"], bytes, table)
        guard let places = wide ?? box(["stco"], bytes, table) else { return nil }
        let count = number(bytes, sizes.lowerBound + 8, 4)
        let packetSizes = (0..<count).map { number(bytes, sizes.lowerBound + 12 + 4 * $0, 4) }
        let chunks = (0..<number(bytes, places.lowerBound + 4, 4)).map { chunk in
            let width = wide == nil ? 4 : 8
            return number(bytes, places.lowerBound + 8 + width * chunk, width)
        }
        var perChunk: [Int] = []
        for run in 0..<number(bytes, runs.lowerBound + 4, 4) {
            let entry = runs.lowerBound + 8 + 12 * run
            perChunk += Array(
                repeating: perChunk.last ?? 0, count: max(0, number(bytes, entry, 4) - 1 - perChunk.count))
            perChunk.append(number(bytes, entry + 4, 4))
        }
        perChunk += Array(repeating: perChunk.last ?? 0, count: max(0, chunks.count - perChunk.count))
        var all = Data()
        var packet = 0
        for (place, held) in zip(chunks, perChunk) {
            let size = packetSizes[packet..<min(packet + held, count)].reduce(0, +)
            guard place >= 0, size >= 0, place + size <= bytes.count else { return nil }
            all += bytes[place..<place + size]
            packet += held
        }
        let durations = box(["stts"], bytes, table).map { values(bytes, $0) } ?? []
        let delays = box(["ctts"], bytes, table).map { values(bytes, $0) } ?? []
        var (decode, hiddenCount) = (0, 0)
        for (index, duration) in durations.enumerated() {
            if decode + (index < delays.count ? delays[index] : 0) + duration <= start { hiddenCount += 1 }
            decode += duration
        }
        return packet == count
            ? Stream(packetSizes: packetSizes, bytes: all, hiddenCount: hiddenCount) : nil
    }

    private static func box(_ path: [String], _ bytes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
        path.reduce(Optional(range)) { range, type in
            range.flatMap { boxes(bytes, $0).first { $0.type == type }?.content }
        }
    }

    private static func boxes(_ bytes: [UInt8], _ range: Range<Int>) -> [(type: String, content: Range<Int>)]
    {
        var boxes: [(String, Range<Int>)] = []
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            var (size, head) = (number(bytes, place, 4), 8)
            if size == 1, place + 16 <= range.upperBound { (size, head) = (number(bytes, place + 8, 8), 16) }
            guard size >= head, place + size <= range.upperBound else { break }
            boxes.append(
                (String(decoding: bytes[place + 4..<place + 8], as: UTF8.self), place + head..<place + size))
            place += size
        }
        return boxes
    }

    private static func number(_ bytes: [UInt8], _ place: Int, _ width: Int) -> Int {
        guard place >= 0, place + width <= bytes.count else { return 0 }
        return bytes[place..<place + width].reduce(0) { $0 &<< 8 | Int($1) }
    }
}
