internal import Glibc
internal import Media

/// Divides a multipart stream of JPEGs (`multipart/x-mixed-replace`) into its parts. A value: bytes go in, parts come out.
struct MultipartReader {
    /// One part.
    struct Part {
        /// The bytes of the JPEG, to the end of its image.
        let bytes: [UInt8]
        /// When its header had come.
        let arrival: ClockTime
        /// The wall clock of its capture since 1970, where the camera says it (`X-Timestamp`).
        let wall: Nanoseconds?
    }

    /// What is wrong with a stream.
    enum Fault: Error, Equatable {
        /// A header has no end.
        case header
        /// A part is larger than any camera's.
        case size
    }

    private enum Place {
        /// Before a delimiter.
        case between
        /// In the lines of a header.
        case header
        /// In a body of a known length.
        case body(length: Int)
        /// In a body that the next delimiter ends.
        case openBody
    }

    private let delimiter: [UInt8]
    private var place = Place.between
    private var pending: [UInt8] = []
    /// Where a search for the delimiter goes on.
    private var searched = 0
    private var arrival = ClockTime(nanoseconds: 0)
    private var wall: Nanoseconds?

    private static let longestHeader = 8 << 10
    private static let longestPart = 32 << 20

    /// - Parameter boundary: As the content type has it; cameras write it with dashes before it or without.
    init(boundary: String) { delimiter = Array("--".utf8) + Array(boundary.drop { $0 == "-" }.utf8) }

    /// The boundary of a content type; `nil` where it is no multipart stream.
    static func boundary(of contentType: String) -> String? {
        let parts = contentType.split(separator: ";").map { $0.drop { $0 == " " } }
        guard let kind = parts.first, kind.lowercased().hasPrefix("multipart/") else { return nil }
        for part in parts.dropFirst() where part.lowercased().hasPrefix("boundary=") {
            let value = part.dropFirst("boundary=".count).filter { $0 != "\"" && $0 != " " }
            return value.drop { $0 == "-" }.isEmpty ? nil : String(value)
        }
        return nil
    }

    /// Takes bytes.
    ///
    /// - Parameters:
    ///   - bytes: What came.
    ///   - now: When it came.
    /// - Returns: The parts that are whole now.
    /// - Throws: What makes the stream none of a camera.
    mutating func take(_ bytes: ArraySlice<UInt8>, at now: ClockTime) throws(Fault) -> [Part] {
        pending += bytes
        var parts: [Part] = []
        while let part = try step(now) {
            if let part = part { parts.append(part) }
        }
        return parts
    }

    /// Goes on by one place.
    ///
    /// - Returns: `nil` when more bytes are needed; else a part, where one is whole.
    private mutating func step(_ now: ClockTime) throws(Fault) -> Part?? {
        switch place {
        case .between:
            guard let index = find(delimiter, from: 0) else {
                let kept = min(pending.count, delimiter.count)
                guard pending.count < Self.longestPart else { throw .size }
                pending.removeFirst(pending.count - kept)
                return nil
            }
            pending.removeFirst(index + delimiter.count)
            place = .header
            return .some(nil)
        case .header:
            guard let (end, next) = headerEnd() else {
                guard pending.count < Self.longestHeader else { throw .header }
                return nil
            }
            let length = readHeader(String(decoding: pending[..<end], as: UTF8.self))
            pending.removeFirst(next)
            (arrival, searched) = (now, 0)
            guard let length else {
                place = .openBody
                return .some(nil)
            }
            guard (1...Self.longestPart).contains(length) else { throw .size }
            place = .body(length: length)
            return .some(nil)
        case .body(let length):
            guard pending.count >= length else { return nil }
            let part = part(pending[..<length])
            pending.removeFirst(length)
            place = .between
            return .some(part)
        case .openBody:
            guard let index = find(delimiter, from: searched) else {
                guard pending.count < Self.longestPart else { throw .size }
                searched = max(pending.count - delimiter.count, 0)
                return nil
            }
            let part = part(pending[..<index])
            pending.removeFirst(index)
            place = .between
            return .some(part)
        }
    }

    /// The end of a header that an empty line ends, and where its body begins.
    private func headerEnd() -> (end: Int, next: Int)? {
        let crlf = find([13, 10, 13, 10], from: 0).map { ($0, $0 + 4) }
        let lf = find([10, 10], from: 0).map { ($0, $0 + 2) }
        return [crlf, lf].compactMap { $0 }.min { $0.0 < $1.0 }
    }

    /// Reads the lines of a header.
    ///
    /// - Returns: The length of the body, where it says it.
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

    /// The part of a body, which ends with its image; `nil` where there is no whole one.
    private func part(_ body: ArraySlice<UInt8>) -> Part? {
        var end = body.endIndex
        while end >= body.startIndex + 2, body.endIndex - end < 64 {
            if body[end - 1] == 0xD9, body[end - 2] == 0xFF {
                return Part(bytes: Array(body[..<end]), arrival: arrival, wall: wall)
            }
            end -= 1
        }
        return nil
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
