internal import Media

/// What a change of a running session asks of its devices and files.
enum SessionOrder: Sendable {
    /// A camera is to deliver this; `nil` for nothing.
    case deliver(role: String, VideoFormat?)
    /// A camera's own track is finished at the next tick.
    case endTrack(name: String)
    /// A camera's track begins, as soon as there is a file and an encoder for it.
    case beginTrack(PlannedCameraTrack)
    /// A camera that delivers already is taken in, and with it its track where there is one.
    case admit(CameraInput, PlannedCameraTrack?)
}
