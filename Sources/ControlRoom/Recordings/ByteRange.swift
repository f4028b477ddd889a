/// Which bytes of a file a request wants, by its header `Range` (RFC 9110, section 14).
enum ByteRange: Equatable {
    /// All of them.
    case whole
    /// Some of them, at least one.
    case part(Range<Int64>)
    /// Bytes that the file does not have.
    case none

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - header: Such as `bytes=0-499`, `bytes=500-` or `bytes=-500`; `nil` where there is none. Another unit, several ranges and
    ///     what is no range stand for the whole file, as the standard has it.
    ///   - count: The file's bytes.
    init(_ header: String?, of count: Int64) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let text = header.dropFirst("bytes=".count).filter { $0 != " " }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, !text.contains(",") else { return }
        func number(_ digits: Substring) -> Int64? {
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
            // A number of more digits than any file has bytes.
            return Int64(digits) ?? .max
        }
        switch (number(ends[0]), number(ends[1])) {
        case (let first?, let last?) where first <= last:
            self = first < count ? .part(first..<(min(last, count - 1) + 1)) : .none
        case (let first?, nil) where ends[1].isEmpty:
            self = first < count ? .part(first..<count) : .none
        case (nil, let length?) where ends[0].isEmpty:
            self = length > 0 && count > 0 ? .part(max(0, count - length)..<count) : .none
        default: return
        }
    }
}
