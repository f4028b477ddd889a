internal import Inputs
internal import Media
internal import Timing

/// A track of one camera: it decides each tick, and hands the frame to its file or its encoder. Timeline's thread only.
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

    /// Decides a tick of the track's grid. Ticks come in order, each once.
    ///
    /// - Parameter tick: Index of the tick; 0 is T0.
    func step(tick: Int64)

    /// Ends the track: no tick follows.
    ///
    /// - Parameter end: End of the track since T0.
    func finish(at end: MediaTime)
}
