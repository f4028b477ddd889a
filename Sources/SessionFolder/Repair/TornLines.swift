internal import FoundationEssentials
internal import Glibc
internal import Media

/// Cuts off the end of an NDJSON file where a crash tore a line or a power cut left zeros.
enum TornLines {
    private static let window: Int64 = 1 << 16

    /// Truncates a file after its last line that is JSON; a file without such a line stays as it is.
    ///
    /// - Throws: `FileError` "open", "read" or "truncate".
    static func cut(_ path: String) throws(FileError) {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(path: path, operation: "open", errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw FileError(path: path, operation: "read", errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        let end = Int64(status.st_size)
        var count = min(window, end)
        while true {
            let bytes = try read(Int(count), at: end - count, of: descriptor, path)
            if let whole = wholeByteCount(bytes, isFromStart: count == end) {
                let kept = end - count + Int64(whole)
                guard kept == end || ftruncate(descriptor, Int(kept)) == 0 else {
                    throw FileError(path: path, operation: "truncate", errno: errno)
                }
                return
            }
            guard count < end else { return }
            count = min(count * 4, end)
        }
    }

    /// Offset in bytes of the end of the last line that is JSON; `nil` where there is none.
    static func wholeByteCount(_ bytes: [UInt8], isFromStart: Bool) -> Int? {
        let newline = UInt8(ascii: "\n")
        var end = bytes.lastIndex(of: newline)
        while let last = end {
            let before = bytes[..<last].lastIndex(of: newline)
            // The beginning of the first line may lie before these bytes.
            guard before != nil || isFromStart else { return nil }
            let line = bytes[(before.map { $0 + 1 } ?? 0)..<last]
            do {
                _ = try JSONDecoder().decode(AnyJSON.self, from: Data(line))
                return last + 1
            } catch {
                end = before
            }
        }
        return nil
    }

    private static func read(
        _ count: Int, at offset: Int64, of descriptor: Int32, _ path: String
    ) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = pread(descriptor, &bytes[filled], count - filled, Int(offset) + filled)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw FileError(path: path, operation: "read", errno: errno) }
            guard got > 0 else { break }
            filled += got
        }
        return Array(bytes[..<filled])
    }
}

/// Any JSON: the decoder reads it whole before it asks what of it is wanted.
private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) {}
}
