public import Media

/// Description of one track of a movie file: frames, audio, or timecode.
public enum MovieTrack: Sendable, Equatable {
    /// Frames in H.264 or MJPEG.
    ///
    /// For H.264, `parameters.setup` may be empty. The first packet must then contain the parameter sets, and no data
    /// is written before it. `rotation` turns the stored frame clockwise so that it is upright. `name` is a display
    /// name.
    case video(StreamParameters, rotation: Rotation = .none, name: String)
    /// Audio in AAC.
    case audio(StreamParameters, name: String)
    /// Time of day at T0, for editors. Only a MOV file may contain this track, which has no packets.
    case timecode(Timecode, name: String)

    var name: String {
        switch self {
        case .video(_, _, let name), .audio(_, let name), .timecode(_, let name): name
        }
    }

    /// Ticks per second of the track's times.
    public var timeScale: Int64 {
        switch self {
        case .video(let parameters, _, _), .audio(let parameters, _): parameters.timeScale
        case .timecode(let timecode, _): timecode.rate.frames
        }
    }

    var isVideo: Bool {
        if case .video = self { true } else { false }
    }

    var isTimecode: Bool {
        if case .timecode = self { true } else { false }
    }

    var isH264: Bool {
        if case .video(let parameters, _, _) = self { parameters.codec == .h264 } else { false }
    }

    /// Whether frames have individual capture times instead of grid times.
    public var hasOwnTimes: Bool {
        if case .video(let parameters, _, _) = self { parameters.hasOwnTimes } else { false }
    }

    /// Handler type of the track (ISO/IEC 14496-12, 8.4.3).
    var handler: String {
        switch self {
        case .video: "vide"
        case .audio: "soun"
        case .timecode: "tmcd"
        }
    }
}

/// Variant of a movie file. Both variants have the same box structure.
public enum MovieKind: Sendable, Equatable {
    /// MP4 (ISO/IEC 14496-12 and 14496-14).
    case mp4
    /// QuickTime (QuickTime File Format).
    case mov

    /// File type box of an MP4 file that contains only audio. Players use this box to distinguish a podcast from a
    /// video.
    static let audioFileType: [UInt8] = {
        var buffer = BoxBuffer()
        buffer.box("ftyp") { box in
            box.put(code: "M4A ")
            box.put32(0)
            for brand in ["M4A ", "isom", "iso2", "iso5", "mp42"] { box.put(code: brand) }
        }
        return buffer.bytes
    }()

    /// File type box. The 16 bytes after this box are within the first 512 bytes of the file.
    var fileType: [UInt8] {
        var buffer = BoxBuffer()
        buffer.box("ftyp") { box in
            switch self {
            case .mp4:
                box.put(code: "isom")
                box.put32(0x200)
                // iso5: fragments whose offsets are relative to their own start (ISO/IEC 14496-12, annex E).
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

/// Content of a finished movie file.
public struct MovieSummary: Sendable, Equatable {
    /// Content of one track.
    public struct Track: Sendable, Equatable {
        /// Number of samples: frames, audio packets, or timecode labels.
        public let sampleCount: Int
        /// Size of all samples in bytes.
        public let byteCount: Int64
        /// Time from T0 to the end of the last shown sample, in ticks of `timeScale`.
        public let duration: Int64
        /// Ticks per second of the track.
        public let timeScale: Int64
    }

    /// Content of each track, in the order of the file.
    public let tracks: [Track]
    /// Size of the entire file in bytes.
    public let byteCount: Int64
    /// Checksum of the entire file; `nil` if it can't be computed.
    public let checksum: FileChecksum?
}
