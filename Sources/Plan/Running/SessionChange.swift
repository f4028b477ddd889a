public import Media
public import Profiles

/// A change that a person may make to a session while it records, without a gap in any other track.
///
/// Roles are the profile's. Changes that are committed together take effect at one tick.
public enum SessionChange: Sendable, Equatable {
    /// The main camera exchanges places with another; `nil` means the first of the others. If the other is not shown, it takes
    /// the main camera's place, and the main camera is not shown any more.
    case swap(with: String?)
    /// The program shows these cameras and no others, the first as the main one.
    case show([String])
    /// The program's layout.
    case layout(ProgramSettings.Layout)
    /// The corner from which insets are stacked.
    case corner(ProgramSettings.Corner)
    /// An inset's width as a share of the program's, 0.05…1.
    case insetShare(Double)
    /// A camera becomes the first inset. The one that was there takes its place where it was shown, else it is not shown any more.
    case inset(String)
    /// Several things of the arrangement at once.
    case arrange(ArrangementChange)
    /// The program shows a scene of this name, which the profile has or a person has kept.
    case scene(String)
    /// The program is again as it was before the last change of it, by whomever; again: as it was before this one.
    case undo
    /// Whether a camera is shown in the program. Its track goes on.
    case visible(role: String, Bool)
    /// The clockwise rotation of a camera in the program; its track keeps its own.
    case rotation(role: String, Rotation)
    /// Whether a camera is mirrored left to right in the program; its track is not.
    case mirrored(role: String, Bool)
    /// How many times larger a camera is seen in the program, 1…8, by cropping; its track keeps its own.
    case zoom(role: String, Double)
    /// The horizontal position of a camera's zoomed part in its frame: −1 (left) … 1 (right), 0 in the middle.
    case pan(role: String, Double)
    /// The vertical position of a camera's zoomed part in its frame: −1 (down) … 1 (up), 0 in the middle.
    case tilt(role: String, Double)
    /// The gain of a microphone in the program's mix, in decibels, −60…24; its track keeps its level.
    case gain(role: String, decibels: Double)
    /// Whether a microphone is heard in the program; its track goes on.
    case audible(role: String, Bool)
    /// Whether a camera or microphone is switched on. While it is off, a slate or silence stands in for it in its track, and in
    /// the program where it is shown or heard.
    case enabled(role: String, Bool)
    /// The size and, where given, the rate that a camera delivers. Its track keeps its grid: a copied track goes on in a new
    /// file, an encoded one is scaled. The last frame stands in until the camera delivers again.
    case format(role: String, FrameSize, FrameRate?)
    /// Whether a camera or microphone has a track of its own: `false` finishes its file while the device goes on, `true` begins
    /// another track.
    case recorded(role: String, Bool)
    /// A camera or microphone is removed: its track ends, the program drops it, and it delivers nothing.
    case removed(role: String)

    /// Whether the change begins a file.
    package var beginsTrack: Bool {
        if case .recorded(_, true) = self { return true }
        return false
    }

    /// Whether the change concerns devices or files, and so needs a recording that runs.
    public var needsRecording: Bool {
        switch self {
        case .enabled, .format, .recorded, .removed: true
        case .swap, .show, .layout, .corner, .insetShare, .inset, .arrange, .scene, .undo, .visible,
            .rotation,
            .mirrored, .zoom, .pan, .tilt, .gain, .audible:
            false
        }
    }
}
