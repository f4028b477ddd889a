import Media

/// The units at the beginning of one H.264 packet (ITU-T H.264, annex B and table 7-1), up to its first slice.
struct CodedUnits {
    /// Parameter sets with their start codes, unchanged.
    private(set) var parameterSets: [UInt8] = []
    /// Whether the packet has a slice; without one it is no frame.
    private(set) var hasFrame = false
    /// Whether the first slice is of an IDR frame, with which a file can begin.
    private(set) var isKey = false

    private enum Kind {
        static let slice: UInt8 = 1
        static let keySlice: UInt8 = 5
        static let sequenceSet: UInt8 = 7
        static let frameSet: UInt8 = 8
    }

    init(_ memory: SharedBytes) {
        self = withExtendedLifetime(memory) { Self(memory.bytes) }
    }

    private init(_ bytes: UnsafeRawBufferPointer) {
        var start = Self.unit(in: bytes, from: 0)
        while let unit = start {
            let kind = bytes[unit] & 0x1F
            if kind == Kind.slice || kind == Kind.keySlice {
                hasFrame = true
                isKey = kind == Kind.keySlice
                return
            }
            start = Self.unit(in: bytes, from: unit)
            guard kind == Kind.sequenceSet || kind == Kind.frameSet else { continue }
            var end = start.map { $0 - 3 } ?? bytes.count
            // The zeros before a start code belong to it.
            while end > unit, bytes[end - 1] == 0 { end -= 1 }
            parameterSets += [0, 0, 0, 1] + bytes[unit..<end]
        }
    }

    /// Position of the next unit, behind its start code. What precedes a frame's first slice is short.
    private static func unit(in bytes: UnsafeRawBufferPointer, from position: Int) -> Int? {
        var zeros = 0
        var place = position
        while place + 1 < bytes.count {
            if bytes[place] == 1, zeros >= 2 { return place + 1 }
            zeros = bytes[place] == 0 ? zeros + 1 : 0
            place += 1
        }
        return nil
    }
}
