internal import Interchange
internal import Media

/// Gives the frames of one track as they are stored, without turning or cropping them. Used by one thread alone.
final class WholeTrackSource: LayerSource {
    private let angle: AngleReader
    private let rate: FrameRate
    private let layer: (CapturedFrame?) -> FrameLayer

    /// Makes a source that has opened no file yet.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - folder: Path of the session folder.
    ///   - schedule: Which frame is shown at which tick; `nil` for a track on a grid.
    ///   - rate: Rate of the ticks.
    ///   - size: Size of the layer in pixels.
    init(_ track: SessionTrack, folder: String, schedule: FrameSchedule?, rate: FrameRate, size: FrameSize) {
        angle = AngleReader(track, folder: folder, schedule: schedule)
        self.rate = rate
        let caption = SlateCaption(role: track.role, device: track.devices.first ?? track.role)
        let whole = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
        layer = { FrameLayer(frame: $0, rectangle: whole, caption: caption) }
    }

    func layers(at tick: Int64) -> [FrameLayer] {
        [layer(angle.frame(at: rate.time(ofTick: tick), tick: tick))]
    }

    var faults: [String] { [angle.fault].compactMap(\.self) }
}
