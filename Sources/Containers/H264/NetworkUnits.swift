import Glibc

/// Finds the NAL units of an H.264 access unit in its bytes.
enum NetworkUnits {
    /// Unit types that are relevant to files (ITU-T H.264, table 7-1).
    enum Kind {
        static let sequenceParameterSet: UInt8 = 7
        static let pictureParameterSet: UInt8 = 8
        static let accessUnitDelimiter: UInt8 = 9
    }

    static func kind(ofFirstByte byte: UInt8) -> UInt8 { byte & 0x1F }

    /// Splits a byte stream (ITU-T H.264, annex B) into byte ranges at its start codes.
    static func byteStream(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var units: [Range<Int>] = []
        var start: Int?
        var position = 0
        while let code = startCode(in: bytes, from: position) {
            if let start { appendTrimmed(start..<code, of: bytes, to: &units) }
            start = code + 3
            position = code + 3
        }
        if let start { appendTrimmed(start..<bytes.count, of: bytes, to: &units) }
        return units
    }

    /// Splits bytes at length prefixes of `lengthSize` bytes (ISO/IEC 14496-15); `nil` if the lengths don't add up.
    static func lengthPrefixed(_ bytes: UnsafeRawBufferPointer, lengthSize: Int) -> [Range<Int>]? {
        var units: [Range<Int>] = []
        var position = 0
        while position < bytes.count {
            guard position + lengthSize <= bytes.count else { return nil }
            let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            position += lengthSize
            guard length > 0, position + length <= bytes.count else { return nil }
            units.append(position..<position + length)
            position += length
        }
        return units
    }

    /// Returns the offset of the next `00 00 01`. `memchr` finds the candidates, because a loop over bytes would cost
    /// more than writing the file.
    private static func startCode(in bytes: UnsafeRawBufferPointer, from position: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var candidate = position + 2
        while candidate < bytes.count {
            guard let found = memchr(base + candidate, 1, bytes.count - candidate) else { return nil }
            let place = UnsafeRawPointer(found) - base
            if bytes[place - 1] == 0, bytes[place - 2] == 0 { return place - 2 }
            candidate = place + 1
        }
        return nil
    }

    /// Adds a unit without trailing zeros. Trailing zeros belong to the next start code, because a unit never ends with
    /// a zero byte (7.4.1).
    private static func appendTrimmed(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, to units: inout [Range<Int>]
    ) {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
        if end > range.lowerBound { units.append(range.lowerBound..<end) }
    }
}
