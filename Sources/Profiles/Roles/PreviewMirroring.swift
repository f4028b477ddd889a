public import Media

/// Whether a camera's preview is mirrored left to right, which helps people who see themselves. Tracks are never mirrored, and
/// the program only where the camera's `mirrored` says so.
public enum PreviewMirroring: String, Sendable, Codable, CaseIterable {
    /// Decides by the kind of camera: see `decision`.
    case auto
    case on = "true"
    case off = "false"

    /// Decides whether a camera's preview is mirrored.
    ///
    /// - Parameter camera: The camera of the preview.
    /// - Returns: Whether the preview is mirrored, and the reason as the end of a sentence.
    public func decision(for camera: CaptureDevice) -> (isMirrored: Bool, reason: String) {
        switch self {
        case .on: return (true, "the profile says so")
        case .off: return (false, "the profile says so")
        case .auto: break
        }
        if camera.isCaptureStick {
            return (false, "it is a capture stick, whose frame comes from another device")
        }
        switch camera.deviceType {
        case .file, .network, .screen, .microphone:
            return (false, "its frame was made elsewhere")
        case .builtIn, .external, .virtual: break
        }
        if camera.position == .back { return (false, "it looks away from its user") }
        if camera.position == .front { return (true, "it looks at its user") }
        return camera.deviceType == .builtIn
            ? (true, "it is built in, and most such cameras look at their user")
            : (true, "external cameras mostly look at their user")
    }
}
