internal import Encoders
internal import Encoding
public import Interchange
public import Media
internal import Plan
public import Profiles

/// The content of a rendered picture: a recording, a cut and an output size.
public struct RenderedPicture: Sendable {
    /// The recording.
    public let session: RecordedSession
    /// Path of the session folder.
    public let folder: String
    /// The cut, which defines when each camera is visible.
    public let cut: Cut
    /// Position of insets, and scaling of frames in their layers; `nil` for the program's own layers if there are any.
    public let style: InsetStyle?
    /// Size in pixels. Width and height are even.
    public let size: FrameSize
    /// The frame to show at each tick for tracks that are not on a grid, by role.
    let schedules: [String: FrameSchedule]
    /// Sentences about material that cannot be shown.
    public let problems: [String]

    /// Determines the content of the picture. The call may take a long time, because it reads the times of all frames
    /// that keep their own capture times.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - folder: Path of the session folder.
    ///   - cut: A cut of the recording.
    ///   - style: Position of insets, and scaling of frames in their layers; `nil` for the program's own layers if
    ///     there are any.
    ///   - size: Size in pixels, with even width and height; `nil` for the size of the recording.
    public init(
        _ session: RecordedSession, in folder: String, cut: Cut, style: InsetStyle? = nil,
        size: FrameSize? = nil
    ) {
        self.session = session
        self.folder = folder
        self.cut = cut
        self.style = style
        self.size = size ?? session.size
        var schedules: [String: FrameSchedule] = [:]
        var problems: [String] = []
        let shown = Set(cut.shots.flatMap(\.show))
        for role in shown.sorted() where session.angle(role) == nil {
            problems.append(
                "\(role): no track was found for this camera, so the camera isn't shown.")
        }
        for angle in session.angles where shown.contains(angle.role) && !angle.isOnGrid {
            let schedule = FrameSchedule(
                angle, folder: folder, rate: session.rate, count: session.frameCount)
            problems += schedule.faults.map { "\($0) A slate replaces the affected part of \(angle.role)." }
            schedules[angle.role] = schedule
        }
        self.schedules = schedules
        self.problems = problems
    }
}

/// Provides the layers of each tick of a rendered picture, from the cut and the frames of the tracks. Not thread-safe.
final class PictureSource: LayerSource {
    private let picture: RenderedPicture
    private var angles: [String: AngleReader] = [:]
    /// The layers of the current shot, and the ticks for which they are valid.
    private var places: (layers: [PlannedLayer], ticks: Range<Int64>)?

    /// Creates a source without opening any file.
    init(_ picture: RenderedPicture) {
        self.picture = picture
    }

    /// Returns the layers of a tick.
    ///
    /// - Parameter tick: A tick of the recording, counted from T0 at the session's rate.
    /// - Returns: The layers, from back to front.
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

    /// Read errors encountered, as sentences.
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
            of: shot, at: rate.time(ofTick: tick), size: picture.size, style: picture.style
        ).map(\.even)
        // After a camera was replaced, its frames may have a different size, which requires a different crop.
        let changes = picture.session.angles.flatMap(\.parts).map { rate.ticks(before: $0.from) }
        let end = changes.filter { $0 > tick }.min() ?? .max
        places = (layers, tick..<max(tick + 1, min(shot.end > tick ? shot.end : .max, end)))
        return layers
    }
}

extension PlannedLayer {
    /// The layer with even position and size, as required for 4:2:0 chroma.
    fileprivate var even: PlannedLayer {
        var layer = self
        layer.rectangle = PixelRectangle(
            x: rectangle.x & ~1, y: rectangle.y & ~1, width: max(2, rectangle.width & ~1),
            height: max(2, rectangle.height & ~1))
        layer.border = border & ~1
        return layer
    }
}

/// Provides the layers of each tick of a picture. Not thread-safe.
protocol LayerSource: AnyObject {
    /// Returns the layers of a tick.
    ///
    /// - Parameter tick: A tick, counted from T0. Sequential access is the fastest.
    /// - Returns: The layers, from back to front.
    func layers(at tick: Int64) -> [FrameLayer]

    /// Read errors encountered, as sentences.
    var faults: [String] { get }
}

/// Creates JPEGs of a rendered picture at individual points in time. Not thread-safe.
final class PictureStill {
    private let source: PictureSource
    private let composer: any FrameComposing
    private let encoder = PreviewEncoder()
    private let picture: RenderedPicture

    /// Creates the compositor for the picture.
    ///
    /// - Throws: An error if memory is insufficient.
    init(_ picture: RenderedPicture) throws(EncodingError) {
        self.picture = picture
        source = PictureSource(picture)
        composer = try Codecs().makeComposer(size: picture.size, color: .jpeg, name: "a still")
    }

    /// Returns the size of a thumbnail with the same aspect ratio and with even width and height.
    static func size(_ size: FrameSize, width: Int) -> FrameSize {
        let small = PreviewEncoder.size(size, atMost: width)
        return FrameSize(width: max(2, small.width & ~1), height: max(2, small.height & ~1))
    }

    /// Returns the JPEG of a tick.
    ///
    /// - Parameters:
    ///   - tick: A tick of the recording, counted from T0 at its rate.
    ///   - width: Maximum width in pixels.
    /// - Returns: The JPEG.
    /// - Throws: An error if compositing or encoding fails.
    func jpeg(at tick: Int64, width: Int) throws(EncodingError) -> SharedBytes {
        let frame = try composer.compose(
            source.layers(at: tick),
            at: ClockTime(nanoseconds: picture.session.rate.time(ofTick: tick).nanoseconds),
            sequence: tick)
        return try encoder.jpeg(of: frame, atMost: width)
    }
}
