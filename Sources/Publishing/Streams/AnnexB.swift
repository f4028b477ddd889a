internal import Media

/// Turns H.264 as files have it, units with lengths before them and parameter sets in an avcC record (ISO/IEC 14496-15), into Annex B of
/// ITU-T H.264. What comes damaged comes out shorter, never as a crash.
enum AnnexB {
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Whether these are the setup bytes of units with lengths.
    static func isRecord(_ setup: [UInt8]) -> Bool { setup.first == 1 }

    /// The parameter sets of a stream; setup bytes that are Annex B already stay.
    static func parameterSets(of setup: [UInt8]) -> [UInt8] {
        guard isRecord(setup), setup.count > 6 else { return setup }
        var (result, rest) = ([UInt8](), setup[5...])
        for mask: UInt8 in [0x1F, 0xFF] {
            guard let count = rest.popFirst() else { return result }
            for _ in 0..<(count & mask) {
                guard let high = rest.popFirst(), let low = rest.popFirst() else { return result }
                let unit = rest.prefix(Int(high) << 8 | Int(low))
                result += startCode + unit
                rest = rest.dropFirst(unit.count)
            }
        }
        return result
    }

    /// An access unit in Annex B.
    ///
    /// - Parameters:
    ///   - bytes: The access unit as it came.
    ///   - setup: The stream's setup bytes; where they are Annex B, `bytes` stays.
    /// - Returns: The same units with start codes.
    static func accessUnit(_ bytes: SharedBytes, setup: [UInt8]) -> SharedBytes {
        guard isRecord(setup), setup.count > 4 else { return bytes }
        let lengthSize = Int(setup[4] & 3) + 1
        var (result, rest) = ([UInt8](), bytes.bytes[...])
        result.reserveCapacity(bytes.count + 16)
        while rest.count > lengthSize {
            let length = rest.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(lengthSize)
            let unit = rest.prefix(length)
            result += startCode
            result += unit
            rest = rest.dropFirst(unit.count)
        }
        return SharedBytes(result)
    }
}
