/// Dialect of a movie file; both share one box structure.
public enum MovieKind: Sendable, Equatable {
    /// MP4 (ISO/IEC 14496-12 and 14496-14).
    case mp4
    /// QuickTime (QuickTime File Format).
    case mov

    /// The file type box of MP4 with audio alone, by which players know a podcast from a film.
    static let audioFileType: [UInt8] = {
        var buffer = BoxBuffer()
        buffer.box("ftyp") { box in
            box.put(code: "M4A ")
            box.put32(0)
            for brand in ["M4A ", "isom", "iso2", "iso5", "mp42"] { box.put(code: brand) }
        }
        return buffer.bytes
    }()

    /// The file type box. The 16 bytes that follow it lie inside the first 512 bytes of the file.
    var fileType: [UInt8] {
        var buffer = BoxBuffer()
        buffer.box("ftyp") { box in
            switch self {
            case .mp4:
                box.put(code: "isom")
                box.put32(0x200)
                // iso5: fragments whose offsets count from their own start (ISO/IEC 14496-12, annex E).
                for brand in ["isom", "iso2", "iso5", "avc1", "mp41"] { box.put(code: brand) }
            case .mov:
                box.put(code: "qt  ")
                box.put32(0x200)
                box.put(code: "qt  ")
            }
        }
        return buffer.bytes
    }
}
