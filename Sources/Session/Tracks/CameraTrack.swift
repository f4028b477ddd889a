internal import Media
internal import Timing

/// One camera's own track: decides each tick and hands the result to its file or its encoder. Timeline's thread only.
protocol CameraTrack: AnyObject {
    var name: String { get }
    var input: CameraInput { get }
    var rate: FrameRate { get }
    var counts: FrameCounts { get }
    var gaps: [Gap] { get }

    /// Takes what the camera delivered since the last call.
    func take(_ deliveries: [CameraInput.Delivery])

    /// Decides the next tick.
    func step(tick: Int64)

    /// No tick follows; what the track gave its file or encoder is all.
    func finish(at end: MediaTime)
}
