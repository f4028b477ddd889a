internal import FileSystem
internal import Glibc

/// The lines of a growing `events.ndjson`, each once. One thread uses it.
struct EventFile {
    /// The number of the last line that was read.
    private(set) var number: Int64 = 0
    private let path: String
    private var offset: Int64 = 0
    private var pending: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Most bytes of a line; of a longer one only its number counts.
    private static let longestLine = 256 << 10

    init(_ path: String) { self.path = path }

    /// Reads lines that are whole, at most about a hundred.
    mutating func next() -> [(number: Int64, line: String)] {
        let opened = open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { return [] }
        let file = OwnedDescriptor(owning: opened)
        var lines: [(Int64, String)] = []
        while lines.count < 100 {
            let count = buffer.withUnsafeMutableBytes {
                pread(file.number, $0.baseAddress, $0.count, off_t(offset))
            }
            guard count > 0 else { break }
            offset += Int64(count)
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                if end <= Self.longestLine {
                    lines.append((number, String(decoding: pending[..<end], as: UTF8.self)))
                } else {
                    lines.append((number, "{}"))
                }
                pending.removeFirst(end + 1)
            }
        }
        return lines
    }
}
