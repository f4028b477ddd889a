internal import Glibc
internal import MulticamMedia

/// Splits a multipart stream of JPEGs (`multipart/x-mixed-replace`) into its parts. This value type receives bytes and
/// returns parts.
///
/// Few cameras comply with RFC 2046. The boundary in the content type may be missing or differ from the boundary in the
/// stream. `Content-Length` may be missing, 0, or wrong. Images may lack their end marker or be followed by padding.
/// The reader accepts all of these deviations.
struct MultipartReader {
    /// A part of the stream.
    struct Part {
        /// The bytes of the JPEG, up to the end of its image.
        let bytes: [UInt8]
        /// Arrival time of the header.
        let arrival: ClockTime
        /// Wall clock time of the capture since 1970, if the camera sends it (`X-Timestamp`).
        let wall: Nanoseconds?
    }

    /// An error in a multipart stream.
    enum Fault: Error, Equatable {
        /// The end of a header is missing.
        case header
        /// A part is larger than any camera's image.
        case size
        /// The stream doesn't begin with a delimiter, and the content type doesn't declare one.
        case noDelimiter
    }

    private enum Place {
        /// The reader is before a delimiter.
        case between
        /// The reader is in the header of a part.
        case header
        /// The reader is in a body of a known length.
        case body(length: Int)
        /// The reader is in a body that ends at the next delimiter.
        case openBody
    }

    /// The line before each part: two dashes and the boundary; `nil` until the boundary is known.
    private var delimiter: [UInt8]?
    /// Whether the delimiter has occurred in the stream.
    private var isConfirmed = false
    /// Whether all bytes since the beginning of the stream are still buffered.
    private var isAtStart = true
    private var place = Place.between
    private var pending: [UInt8] = []
    /// Position at which to continue searching for the delimiter.
    private var searched = 0
    private var arrival = ClockTime(nanoseconds: 0)
    private var wall: Nanoseconds?

    private static let longestHeader = 8 << 10
    /// Maximum number of bytes before the first delimiter if the content type doesn't declare one.
    private static let longestPreamble = 4 << 10
    /// Minimum length of a line that is accepted as a delimiter. Images may contain shorter text that looks
    /// like a delimiter.
    private static let shortestDelimiter = 5
    /// Maximum length of a delimiter (RFC 2046 allows 70 characters).
    private static let longestDelimiter = 200
    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    private static let endOfImage: [UInt8] = [0xFF, 0xD9]
    private static let longestPart = 32 << 20

    /// Creates a reader at the start of a stream.
    ///
    /// - Parameter boundary: The boundary from the content type. Some cameras include the leading dashes. `nil` if the
    ///   content type doesn't contain one.
    init(boundary: String?) {
        delimiter = boundary.map { Array("--".utf8) + Array($0.drop { $0 == "-" }.utf8) }
    }

    /// Whether a response with this content type may be a multipart stream. Some servers omit the type or
    /// send a generic one.
    static func canRead(_ contentType: String) -> Bool {
        let kind = contentType.prefix { $0 != ";" }.trimmed.lowercased()
        return kind.isEmpty || kind.hasPrefix("multipart/") || kind == "application/octet-stream"
    }

    /// Returns the boundary of a content type (RFC 2045, section 5.1); `nil` if it doesn't contain one.
    static func boundary(of contentType: String) -> String? {
        var rest = contentType.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst()
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0 == " " }
            let value: Substring
            if rest.first == "\"" {
                value = rest.dropFirst().prefix { $0 != "\"" }
                rest = rest.dropFirst(value.count + 2).drop { $0 != ";" }
            } else {
                value = rest.prefix { $0 != ";" }
                rest = rest.dropFirst(value.count)
            }
            guard name.trimmed.lowercased() == "boundary" else { continue }
            let boundary = value.trimmed
            return boundary.drop { $0 == "-" }.isEmpty ? nil : boundary
        }
        return nil
    }

    /// Processes received bytes.
    ///
    /// - Parameters:
    ///   - bytes: The received bytes.
    ///   - now: Arrival time.
    /// - Returns: The parts that are now complete.
    /// - Throws: `Fault` if the stream can't come from a camera.
    mutating func parse(_ bytes: ArraySlice<UInt8>, at now: ClockTime) throws(Fault) -> [Part] {
        pending += bytes
        var parts: [Part] = []
        while let part = try step(now) {
            if let part = part { parts.append(part) }
        }
        return parts
    }

    /// Advances the parser by one state.
    ///
    /// - Returns: `nil` if more bytes are needed; otherwise a part, if one is complete.
    private mutating func step(_ now: ClockTime) throws(Fault) -> Part?? {
        switch place {
        case .between:
            if isAtStart { try adoptDelimiter() }
            guard let delimiter else { return nil }
            guard let index = find(delimiter, from: 0) else {
                let kept = min(pending.count, isConfirmed ? delimiter.count : Self.longestDelimiter)
                guard pending.count < Self.longestPart else { throw .size }
                isAtStart = isAtStart && kept == pending.count
                pending.removeFirst(pending.count - kept)
                return nil
            }
            pending.removeFirst(index + delimiter.count)
            (place, isConfirmed, isAtStart) = (.header, true, false)
            return .some(nil)
        case .header:
            guard let (end, next) = headerEnd() else {
                guard pending.count < Self.longestHeader else { throw .header }
                return nil
            }
            let length = readHeader(String(decoding: pending[..<end], as: UTF8.self))
            pending.removeFirst(next)
            (arrival, searched) = (now, 0)
            guard let length, length > 0 else {
                place = .openBody
                return .some(nil)
            }
            guard length <= Self.longestPart else { throw .size }
            place = .body(length: length)
            return .some(nil)
        case .body(let length):
            guard pending.count >= length else { return nil }
            guard let image = Self.image(in: pending[..<length]) else {
                // The `Content-Length` is wrong, or the image's end marker is missing. Only the next
                // delimiter shows the end of the body.
                place = .openBody
                return .some(nil)
            }
            let part = part(image)
            pending.removeFirst(length)
            place = .between
            return .some(part)
        case .openBody:
            guard let delimiter, let index = find(delimiter, from: searched) else {
                guard pending.count < Self.longestPart else { throw .size }
                searched = max(pending.count - (delimiter?.count ?? 0), 0)
                return nil
            }
            let body = pending[..<index]
            let part = Self.image(in: body) ?? Self.completed(body)
            pending.removeFirst(index)
            place = .between
            return .some(part.map { self.part($0) })
        }
    }

    /// Adopts the first line of the stream as the delimiter if it looks like one. The content type may omit the
    /// boundary or declare a wrong one.
    private mutating func adoptDelimiter() throws(Fault) {
        let beginning = pending.prefix(Self.longestPreamble)
        let line = beginning.drop { $0 == Self.lineFeed || $0 == Self.carriageReturn }
        let end = line.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn }
        if let end, line.starts(with: "--".utf8),
            (Self.shortestDelimiter...Self.longestDelimiter).contains(end - line.startIndex)
        {
            let adopted = Array(line[..<end])
            // Spaces may follow the delimiter (RFC 2046, section 5.1.1), and some cameras send more dashes than they
            // declare.
            let isAnnounced = delimiter.map { adopted.contains($0) } ?? false
            if !isAnnounced {
                delimiter = Array(adopted.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed())
            }
        } else if delimiter == nil,
            pending.count >= Self.longestPreamble || !"--".utf8.starts(with: line.prefix(2))
        {
            throw .noDelimiter
        }
    }

    /// Returns the end of a header, which is an empty line, and the start of its body.
    private func headerEnd() -> (end: Int, next: Int)? {
        let crlf = find([13, 10, 13, 10], from: 0).map { ($0, $0 + 4) }
        let lf = find([10, 10], from: 0).map { ($0, $0 + 2) }
        return [crlf, lf].compactMap { $0 }.min { $0.0 < $1.0 }
    }

    /// Parses the lines of a header.
    ///
    /// - Returns: Length of the body; `nil` if the header doesn't state it.
    private mutating func readHeader(_ text: String) -> Int? {
        var length: Int?
        wall = nil
        for line in text.split(whereSeparator: \.isNewline) {
            let name = line.prefix { $0 != ":" }.lowercased()
            let value = line.dropFirst(name.count + 1).drop { $0 == " " }
            if name == "content-length" { length = Int(value.prefix { $0.isNumber }) }
            if name == "x-timestamp", let seconds = Double(value), seconds > 0, seconds < 1e11 {
                wall = .seconds(rounding: seconds)
            }
        }
        return length
    }

    private func part(_ image: [UInt8]) -> Part { Part(bytes: image, arrival: arrival, wall: wall) }

    /// Returns the image in a body, up to its end marker. Padding and at most 64 other bytes may follow the marker.
    /// Returns `nil` if the marker is missing.
    private static func image(in body: ArraySlice<UInt8>) -> [UInt8]? {
        var end = withoutPadding(body).endIndex
        let first = max(end - 64, body.startIndex + 2)
        while end >= first {
            if body[(end - 2)..<end].elementsEqual(endOfImage) { return Array(body[..<end]) }
            end -= 1
        }
        return nil
    }

    /// Adds the end marker to an image that lacks it. The image is complete because a delimiter follows it.
    private static func completed(_ body: ArraySlice<UInt8>) -> [UInt8]? {
        let image = withoutPadding(body)
        return image.count > 4 && image.starts(with: [0xFF, 0xD8]) ? image + endOfImage : nil
    }

    private static func withoutPadding(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let padding: Set<UInt8> = [0, lineFeed, carriageReturn]
        return body[..<((body.lastIndex { !padding.contains($0) } ?? body.startIndex - 1) + 1)]
    }

    private func find(_ needle: [UInt8], from start: Int) -> Int? {
        pending.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, let first = needle.first else { return nil }
            var place = start
            while place + needle.count <= bytes.count,
                let found = memchr(base + place, Int32(first), bytes.count - needle.count + 1 - place)
            {
                place = UnsafeRawPointer(found) - base
                if memcmp(base + place, needle, needle.count) == 0 { return place }
                place += 1
            }
            return nil
        }
    }
}
