internal import Encoders
internal import Interchange
internal import Media
internal import Plan

/// Gives the layers of each tick of a rendered picture: what the cut shows, with the frames of the tracks. Used by one thread
/// alone.
final class PictureSource: LayerSource {
    private let picture: RenderedPicture
    private var angles: [String: AngleReader] = [:]
    /// The layers of the present shot, up to the instant at which they have to be made anew.
    private var places: (layers: [PlannedLayer], ticks: Range<Int64>)?

    /// Makes a source that has opened no file yet.
    init(_ picture: RenderedPicture) {
        self.picture = picture
    }

    /// Makes the layers of a tick.
    ///
    /// - Parameter tick: A tick of the recording, counted from T0 at the session's rate.
    /// - Returns: The layers, from the back to the front.
    func layers(at tick: Int64) -> [FrameLayer] {
        let time = picture.session.rate.time(ofTick: tick)
        return planned(at: tick).compactMap { place in
            guard let track = picture.session.angle(place.role), let size = track.size(at: time) else {
                return nil
            }
            let caption = SlateCaption(role: place.role, device: track.devices.first ?? place.role)
            return FrameLayer(
                frame: reader(of: track).frame(at: time, tick: tick), place, plannedSize: size,
                caption: caption, isCoarse: false)
        }
    }

    /// What could not be read so far, as sentences.
    var faults: [String] { angles.keys.sorted().compactMap { angles[$0]?.fault } }

    private func reader(of track: SessionTrack) -> AngleReader {
        if let reader = angles[track.role] { return reader }
        let reader = AngleReader(
            track, folder: picture.folder, schedule: picture.schedules[track.role])
        angles[track.role] = reader
        return reader
    }

    private func planned(at tick: Int64) -> [PlannedLayer] {
        if let places, places.ticks.contains(tick) { return places.layers }
        let rate = picture.session.rate
        let shot = picture.cut.shot(at: tick)
        let layers = picture.session.layers(
            of: shot, at: rate.time(ofTick: tick), size: picture.size, look: picture.look
        ).map(\.even)
        // Frames of another size, of a camera that was exchanged, are cropped elsewhere.
        let changes = picture.session.angles.flatMap(\.parts).map { rate.ticks(before: $0.from) }
        let end = changes.filter { $0 > tick }.min() ?? .max
        places = (layers, tick..<max(tick + 1, min(shot.end > tick ? shot.end : .max, end)))
        return layers
    }
}

extension PlannedLayer {
    /// The layer at an even place of an even size, as 4:2:0 needs it.
    fileprivate var even: PlannedLayer {
        var layer = self
        layer.rectangle = PixelRectangle(
            x: rectangle.x & ~1, y: rectangle.y & ~1, width: max(2, rectangle.width & ~1),
            height: max(2, rectangle.height & ~1))
        layer.border = border & ~1
        return layer
    }
}
