internal import Inputs
internal import Media
internal import Timing

/// One camera's own track: decides each tick, and hands the frame to its file or its encoder. Timeline's thread only.
protocol CameraTrack: AnyObject {
    /// Name of the track.
    var name: String { get }
    /// The track's camera.
    var input: CameraInput { get }
    /// Rate of the track's grid.
    var rate: FrameRate { get }
    /// Counts of the track's frames so far.
    var counts: FrameCounts { get }
    /// Gaps of the track so far.
    var gaps: [Gap] { get }

    /// Takes what the camera delivered since the last call.
    func take(_ deliveries: [CameraInput.Delivery])

    /// Decides the next tick.
    func step(tick: Int64)

    /// Ends the track: no tick follows.
    func finish(at end: MediaTime)
}
