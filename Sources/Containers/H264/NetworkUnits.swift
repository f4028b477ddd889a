import Glibc

/// Where the units (NAL units) of one H.264 access unit lie in its bytes.
enum NetworkUnits {
    /// Unit types that matter to a file (ITU-T H.264, table 7-1).
    enum Kind {
        static let sequenceParameterSet: UInt8 = 7
        static let pictureParameterSet: UInt8 = 8
        static let accessUnitDelimiter: UInt8 = 9
    }

    static func kind(ofFirstByte byte: UInt8) -> UInt8 { byte & 0x1F }

    /// Splits a byte stream (ITU-T H.264, annex B) at its start codes.
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

    /// Splits at length prefixes (ISO/IEC 14496-15). `nil` when the lengths do not add up to the whole.
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

    /// The place of the next `00 00 01`. `memchr` finds the candidates: a byte loop would cost more than the file.
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

    /// Zeros after a unit belong to the next start code; a unit itself never ends in one (7.4.1).
    private static func appendTrimmed(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, to units: inout [Range<Int>]
    ) {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
        if end > range.lowerBound { units.append(range.lowerBound..<end) }
    }
}
