import MulticamMedia

/// A buffer for building a movie file from big-endian numbers and nested boxes (ISO/IEC 14496-12, 4.2).
struct BoxBuffer {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func put8(_ value: UInt8) {
        bytes.append(value)
    }

    mutating func put16(_ value: UInt16) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put24(_ value: UInt32) {
        put8(UInt8(truncatingIfNeeded: value >> 16))
        put16(UInt16(truncatingIfNeeded: value))
    }

    mutating func put32(_ value: UInt32) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put64(_ value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ content: some Sequence<UInt8>) {
        bytes.append(contentsOf: content)
    }

    mutating func putZeros(_ count: Int) {
        bytes.append(contentsOf: repeatElement(0, count: count))
    }

    /// Appends a four-character code in Latin-1. In this encoding, the character `©` of QuickTime codes is
    /// one byte.
    mutating func put(code: String) {
        precondition(code.unicodeScalars.count == 4, "a box type must have four characters")
        bytes.append(contentsOf: code.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    /// Appends a number, with 64 bits for a version 1 box and otherwise with 32 bits.
    mutating func put(_ value: Int64, version: UInt8) {
        if version == 1 {
            put64(UInt64(bitPattern: value))
        } else {
            put32(UInt32(truncatingIfNeeded: value))
        }
    }

    /// Appends an integer as a 16.16 fixed-point number.
    mutating func putFixed(_ value: Int) {
        put32(UInt32(truncatingIfNeeded: value << 16))
    }

    /// Overwrites 32 bits at an offset in the buffer.
    mutating func replace32(at place: Int, with value: UInt32) {
        withUnsafeBytes(of: value.bigEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
    }

    /// Appends a box of the given type. The size of the box is filled in after its content is written.
    mutating func box(_ type: String, _ content: (inout Self) -> Void) {
        let start = count
        put32(0)
        put(code: type)
        content(&self)
        replace32(at: start, with: UInt32(count - start))
    }

    /// Appends a box that begins with a version and 24 flags.
    mutating func fullBox(
        _ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout Self) -> Void
    ) {
        box(type) { buffer in
            buffer.put8(version)
            buffer.put24(flags)
            content(&buffer)
        }
    }
}
