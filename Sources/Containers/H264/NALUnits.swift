import Glibc

/// Finds the NAL units of an H.264 access unit in its bytes.
enum NALUnits {
    /// Types of NAL units that must be handled in files (ITU-T H.264, table 7-1).
    enum Kind {
        static let sequenceParameterSet: UInt8 = 7
        static let pictureParameterSet: UInt8 = 8
        static let accessUnitDelimiter: UInt8 = 9
    }

    static func kind(ofFirstByte byte: UInt8) -> UInt8 { byte & 0x1F }

    /// Splits a byte stream (ITU-T H.264, annex B) at its start codes, and returns the byte ranges of the NAL
    /// units.
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

    /// Splits a packet with length prefixes of `lengthSize` bytes (ISO/IEC 14496-15) into NAL units; `nil` if
    /// the lengths don't add up to the packet size.
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

    /// Returns the offset of the next start code `00 00 01`. The search uses `memchr`, because a loop over
    /// all bytes would take longer than writing the file.
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

    /// Adds the byte range of a NAL unit without trailing zeros. Trailing zeros belong to the next start
    /// code, because a NAL unit never ends with a zero byte (ITU-T H.264, 7.4.1).
    private static func appendTrimmed(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, to units: inout [Range<Int>]
    ) {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
        if end > range.lowerBound { units.append(range.lowerBound..<end) }
    }
}
