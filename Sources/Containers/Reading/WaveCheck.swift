/// Finds the samples of a Broadcast Wave file as `WaveHeader` writes it.
enum WaveCheck {
    /// - Parameter start: The file's first bytes.
    /// - Returns: Where samples begin and how many bytes they are; `nil` where the header is none.
    static func dataSize(_ start: [UInt8]) -> (start: Int64, size: Int64)? {
        func number(_ place: Int, _ count: Int) -> UInt64? {
            guard place + count <= start.count else { return nil }
            return start[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        func name(_ place: Int) -> String {
            String(decoding: start.dropFirst(place).prefix(4), as: UTF8.self)
        }
        let isLarge = name(0) == "RF64"
        guard isLarge || name(0) == "RIFF", name(8) == "WAVE" else { return nil }
        var place = 12
        var large: Int64?
        while let size = number(place + 4, 4) {
            if isLarge, name(place) == "ds64" { large = number(place + 16, 8).flatMap { Int64(exactly: $0) } }
            if name(place) == "data" {
                guard let bytes = isLarge ? large : Int64(size), (0..<1 << 60).contains(bytes) else {
                    return nil
                }
                return (Int64(place) + 8, bytes)
            }
            place += 8 + Int(size) + Int(size) % 2
        }
        return nil
    }
}
