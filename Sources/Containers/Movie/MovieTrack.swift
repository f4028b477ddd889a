package import MulticamMedia

/// Description of one track of a movie file: a video, audio, or timecode track.
package enum MovieTrack: Sendable, Equatable {
    /// A video track in H.264 or MJPEG.
    ///
    /// For H.264, `parameters.setup` may be empty. If it is empty, the first packet must contain the
    /// parameter sets, and no data is written before that packet. `rotation` is the clockwise rotation that
    /// makes the stored frames upright. `name` is the display name of the track.
    case video(StreamParameters, rotation: Rotation = .none, name: String)
    /// An audio track in AAC.
    case audio(StreamParameters, name: String)
    /// A timecode track with the time of day at T0, for video editors. Only a MOV file can contain a timecode
    /// track. No packets are appended to this track.
    case timecode(Timecode, name: String)

    var name: String {
        switch self {
        case .video(_, _, let name), .audio(_, let name), .timecode(_, let name): name
        }
    }

    /// Ticks per second of the track's times.
    package var timeScale: Int64 {
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

    /// Whether each frame has its own capture time instead of a time on the frame grid.
    package var hasCaptureTimes: Bool {
        if case .video(let parameters, _, _) = self { parameters.hasCaptureTimes } else { false }
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

/// Variant of the movie file format. Both variants have the same box structure.
package enum MovieKind: Sendable, Equatable {
    /// MP4 (ISO/IEC 14496-12 and 14496-14).
    case mp4
    /// QuickTime movie (QuickTime File Format).
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

    /// File type box (`ftyp`). The 16 bytes after this box are within the first 512 bytes of the file.
    var fileType: [UInt8] {
        var buffer = BoxBuffer()
        buffer.box("ftyp") { box in
            switch self {
            case .mp4:
                box.put(code: "isom")
                box.put32(0x200)
                // The brand `iso5` permits fragments whose offsets are relative to the start of the fragment
                // (ISO/IEC 14496-12, annex E).
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

/// Summary of a finished movie file.
package struct MovieSummary: Sendable, Equatable {
    /// Summary of one track.
    package struct Track: Sendable, Equatable {
        /// Number of samples: frames, audio packets, or timecode labels.
        package let sampleCount: Int
        /// Size of all samples in bytes.
        package let byteCount: Int64
        /// Time from T0 to the end of the last visible sample, in ticks of `timeScale`.
        package let duration: Int64
        /// Ticks per second of the track.
        package let timeScale: Int64
    }

    /// Summary of each track, in file order.
    package let tracks: [Track]
    /// Size of the entire file in bytes.
    package let byteCount: Int64
    /// Checksum of the entire file; `nil` if the checksum can't be computed.
    package let checksum: FileChecksum?
}
