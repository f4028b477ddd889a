public import Containers
public import Media
public import Profiles
public import SessionFolder

/// A recording as editing needs it: its tracks with all their files, what the program showed, and what is missing. Pure.
///
/// `init(folder:)` reads it from a session folder.
public struct RecordedSession: Sendable, Equatable {
    /// Name of the session folder.
    public var name: String
    /// The title that people read; the folder's name where nobody gave one.
    public var title: String
    /// Names of people by role.
    public var people: [String: String]
    /// Formats of projects that the profile asked for.
    public var formats: [EditFormat]
    /// Size in pixels of what is edited: the program's, else the first camera's as seen upright.
    public var size: FrameSize
    /// Frames per second of what is edited: the program's, else the first camera's.
    public var rate: FrameRate
    /// Length of the recording; a whole number of frames at `rate`.
    public var duration: MediaTime
    /// The wall clock at T0.
    public var start: LocalTime
    /// The instant of T0, since 1970 in UTC.
    public var startSince1970: Nanoseconds = .zero
    /// How far the wall clock was ahead of UTC, in seconds.
    public var secondsFromGMT = 0
    /// The cameras, in the order of the manifest. A recording without camera tracks has its program here.
    public var angles: [SessionTrack]
    /// The microphones, in the order of the manifest.
    public var microphones: [SessionTrack]
    /// The program as it was recorded; `nil` where there is none.
    public var program: SessionTrack?
    /// The instants that people marked.
    public var marks: [Manifest.Mark]
    /// What the program showed and mixed; empty without a program.
    public var arrangements: [Manifest.Arrangement]
    /// What people changed while it was recorded.
    public var changes: [Manifest.Change]
    /// Sentences for people about what is missing or was made whole.
    public var problems: [String]
    /// How the program was encoded; `nil` where its manifest does not say.
    public var encoding: VideoSettings? = nil

    /// Number of frames of the recording at `rate`.
    public var frameCount: Int64 { rate.ticks(before: duration) }

    /// Time code of T0 at a rate: the time of day, as the camera files have it.
    public func timecode(at rate: FrameRate) -> Timecode { Timecode(at: start, rate: rate) }

    /// The angle of a role; `nil` where there is none.
    public func angle(_ role: String) -> SessionTrack? { angles.first { $0.role == role } }

    /// The frame at `rate` during which an instant lies, from 0 to the last.
    public func frame(at time: MediaTime) -> Int64 {
        let next = rate.ticks(before: time)
        return min(rate.time(ofTick: next) == time ? next : max(0, next - 1), max(0, frameCount - 1))
    }

    /// Whether the mix of the recording has anything in it.
    public var isHeard: Bool {
        microphones.isEmpty
            ? (program?.channels ?? 0) > 0
            : microphones.contains { gains(of: $0.role).contains { $0.decibels != nil } }
    }

    /// The gain in decibels of a microphone in the program from frames on, in order, the first at 0; `nil` where it is not
    /// heard. A recording without a program mixes all microphones as they are.
    public func gains(of role: String) -> [(frame: Int64, decibels: Double?)] {
        var gains: [(frame: Int64, decibels: Double?)] = []
        for arrangement in arrangements {
            let frame = gains.isEmpty ? 0 : rate.ticks(before: MediaTime(nanoseconds: arrangement.at_ns))
            let decibels = arrangement.gains[role] ?? nil
            guard frame < frameCount, gains.last?.decibels != decibels || gains.isEmpty else { continue }
            if gains.last?.frame == frame { gains.removeLast() }
            gains.append((frame, decibels))
        }
        return gains.isEmpty ? [(0, 0)] : gains
    }
}
