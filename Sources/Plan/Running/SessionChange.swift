public import Media
public import Profiles

/// What a person may change of a session while it records, without a gap in any other track.
///
/// Roles are the profile's. Several changes that are committed together take effect at one tick.
public enum SessionChange: Sendable, Equatable {
    /// The main camera and another exchange their places; `nil` means the first of the others. One that is not shown takes the
    /// main camera's place, which is then not shown.
    case swap(with: String?)
    /// These cameras, the first as the main one, and no others.
    case show([String])
    case layout(ProgramSettings.Layout)
    case corner(ProgramSettings.Corner)
    /// An inset's width as a share of the program's, 0.05…1.
    case insetShare(Double)
    /// Whether a camera is seen in the program: its connection to it is enabled. Its track goes on.
    case visible(role: String, Bool)
    /// Clockwise, of a camera in the program; its track keeps its own.
    case rotation(role: String, Rotation)
    case mirrored(role: String, Bool)
    /// How many times larger a camera is seen in the program, 1…8, by cropping; its track keeps its own.
    case zoom(role: String, Double)
    /// Where in its frame that is: −1 (left) … 1 (right), from the middle.
    case pan(role: String, Double)
    /// Likewise: −1 (down) … 1 (up).
    case tilt(role: String, Double)
    /// Of a microphone in the program's mix, in decibels, −60…24; its track keeps its level.
    case gain(role: String, decibels: Double)
    /// Whether a microphone is heard in the program; its track goes on.
    case audible(role: String, Bool)
    /// Whether a camera or microphone delivers. While it does not, a slate or silence stands in for it in its track, and in the program
    /// where it is shown or heard.
    case enabled(role: String, Bool)
    /// The size, and where it is given the rate, that a camera delivers. Its track keeps its grid: a copied one goes on in a file of
    /// its own, an encoded one is scaled. Until the camera delivers anew its last frame stands in.
    case format(role: String, FrameSize, FrameRate?)
    /// Whether a camera or microphone has a track of its own: `false` finishes its file while the device goes on, `true` begins another
    /// track.
    case recorded(role: String, Bool)
    /// A camera or microphone leaves: its track ends, the program does not show or mix it any more, and it delivers nothing.
    case removed(role: String)

    /// Whether it is about devices or files, which only a recording has.
    public var needsRecording: Bool {
        switch self {
        case .enabled, .format, .recorded, .removed: true
        case .swap, .show, .layout, .corner, .insetShare, .visible, .rotation, .mirrored, .zoom, .pan, .tilt,
            .gain,
            .audible:
            false
        }
    }
}
