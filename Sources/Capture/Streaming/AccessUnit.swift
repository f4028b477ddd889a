internal import CLinux

/// Inspects H.264 access units in Annex B byte stream format (ITU-T H.264, Annex B and table 7-1).
enum AccessUnit {
    /// Whether decoding can begin with the access unit: it holds an IDR slice (NAL unit type 5) or a sequence parameter
    /// set (7).
    static func isKey(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard var position = bytes.baseAddress else { return false }
        let end = position + bytes.count
        let startCode: [UInt8] = [0, 0, 1]
        while let found = linux_memmem(position, end - position, startCode, startCode.count),
            found + 3 < end
        {
            let type = (found + 3).load(as: UInt8.self) & 0x1f
            if type == 5 || type == 7 { return true }
            // After the first slice of a non-IDR frame neither type follows.
            if type == 1 { return false }
            position = found + 3
        }
        return false
    }
}
