public import Media

/// What a movie file holds side by side: frames, audio, a time of day.
public enum MovieTrack: Sendable, Equatable {
    /// H.264 or MJPEG.
    ///
    /// `parameters.setup` of H.264 may be empty: the parameter sets then come with the first packet, and nothing is
    /// written before it. `rotation` turns the stored frame clockwise to be seen upright; the name is for people.
    case video(StreamParameters, rotation: Rotation = .none, name: String)
    /// AAC.
    case audio(StreamParameters, name: String)
    /// The time of day of T0, for editors. MOV only; it gets no packets.
    case timecode(Timecode, name: String)

    var name: String {
        switch self {
        case .video(_, _, let name), .audio(_, let name), .timecode(_, let name): name
        }
    }

    /// Ticks per second of its times.
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

    /// Whether its frames keep their own capture times in place of a grid's.
    public var hasOwnTimes: Bool {
        if case .video(let parameters, _, _) = self { parameters.hasOwnTimes } else { false }
    }

    /// The handler type (ISO/IEC 14496-12, 8.4.3).
    var handler: String {
        switch self {
        case .video: "vide"
        case .audio: "soun"
        case .timecode: "tmcd"
        }
    }
}
