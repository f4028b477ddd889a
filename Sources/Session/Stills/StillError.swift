public import Media

/// Why a still could not be taken or written.
public enum StillError: Error, Sendable, Equatable {
    /// No whole frame came within `seconds`.
    case noFrame(role: String, seconds: Double)
    /// The camera's frames are no stills, or make no clip; `reason` says why and what to do.
    case unsuitable(role: String, reason: String)
    /// There is no camera of this role; `known` lists the roles that there are.
    case unknownRole(String, known: [String])
    case encoding(EncodingError)
    case file(FileError)

    /// The error for a camera that can make no clips because it delivers no JPEGs.
    public static func noClip(role: String, pixel: PixelFormat) -> Self {
        .unsuitable(
            role: role,
            reason:
                "it delivers \(pixel.rawValue), and clips are made of a camera's own JPEGs. Choose `format: mjpeg` in "
                + "the profile, or leave out the clip.")
    }
}

extension StillError: CustomStringConvertible {
    /// A sentence for a person: what failed, and what to do about it.
    public var description: String {
        switch self {
        case .noFrame(let role, let seconds):
            "camera \(role) delivered no whole frame within \(seconds) s, so there is no still of it. Look at its cable."
        case .unsuitable(let role, let reason): "camera \(role): \(reason)"
        case .unknownRole(let role, let known):
            "there is no camera \(role.printable()); there are \(known.joined(separator: ", "))."
        case .encoding(let error): error.description
        case .file(let error): error.description
        }
    }
}
