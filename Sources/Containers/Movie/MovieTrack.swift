public import Media

/// Description of one track of a movie file: frames, audio or a time code.
public enum MovieTrack: Sendable, Equatable {
    /// Frames in H.264 or MJPEG.
    ///
    /// `parameters.setup` of H.264 may be empty: then the first packet brings the parameter sets, and nothing is written before
    /// it. `rotation` turns the stored frame clockwise so that it is upright; `name` is for people.
    case video(StreamParameters, rotation: Rotation = .none, name: String)
    /// Audio in AAC.
    case audio(StreamParameters, name: String)
    /// The time of day at T0, for editors. Only a MOV file may have it, and it takes no packets.
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

    /// Whether frames keep their own capture times instead of those of a grid.
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
