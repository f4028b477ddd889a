internal import MulticamEncoders
internal import MulticamEncoding
package import MulticamInterchange
package import MulticamMedia
internal import MulticamPlan
package import MulticamProfiles
internal import MulticamSessionFolder

/// The visual content of a rendering: a recording, a cut, and an output size.
package struct RenderedPicture: Sendable {
    /// The recording to render.
    package let session: RecordedSession
    /// Path of the session folder.
    package let folder: String
    /// The cut, which specifies when each camera is visible.
    package let cut: Cut
    /// Position of insets, and how frames are fitted into their rectangles; `nil` to use the layers of the
    /// recorded program, if any.
    package let style: InsetStyle?
    /// Output size in pixels. Width and height are even.
    package let size: FrameSize
    /// Frame schedules of the tracks that aren't on a frame grid, by role.
    let schedules: [String: FrameSchedule]
    /// One sentence for each file or part that can't be shown.
    package let problems: [String]

    /// Determines the content of a rendering. The call may take a long time, because it reads the times of
    /// all frames of each track that isn't on a frame grid.
    ///
    /// - Parameters:
    ///   - session: The recording to render.
    ///   - folder: Path of the session folder.
    ///   - cut: A cut of the recording.
    ///   - style: Position of insets, and how frames are fitted into their rectangles; `nil` to use the
    ///     layers of the recorded program, if any.
    ///   - size: Output size in pixels, with even width and height; `nil` for the size of the recording.
    package init(
        _ session: RecordedSession, in folder: String, cut: Cut, style: InsetStyle? = nil,
        size: FrameSize? = nil
    ) {
        self.session = session
        self.folder = folder
        self.cut = cut
        self.style = style
        self.size = size ?? session.size
        var schedules: [String: FrameSchedule] = [:]
        let shown = Set(cut.shots.flatMap(\.cameras))
        var problems = Self.problems(ofMissing: shown, in: session)
        for angle in session.angles where shown.contains(angle.role) && !angle.isOnGrid {
            let schedule = FrameSchedule(
                angle, folder: folder, rate: session.rate, count: session.frameCount)
            problems += schedule.faults.map { "\($0) A slate replaces the affected part of \(angle.role)." }
            schedules[angle.role] = schedule
        }
        self.schedules = schedules
        self.problems = problems
    }

    /// Returns a sentence for each role whose camera has no track.
    static func problems(ofMissing roles: Set<String>, in session: RecordedSession) -> [String] {
        roles.sorted().filter { session.angle($0) == nil }.map {
            "\($0): no track was found for this camera, so the camera isn't shown."
        }
    }
}

/// Provides the layers for each tick of a rendering, based on the cut and the frames of the tracks. Not
/// thread-safe.
final class PictureSource: LayerSource {
    private let picture: RenderedPicture
    private var angles: [String: AngleReader] = [:]
    /// The layers of the current shot, and the ticks for which they are valid.
    private var places: (layers: [PlannedLayer], ticks: Range<Int64>)?

    /// Creates a source of layers. Files are opened later, when they are needed.
    init(_ picture: RenderedPicture) {
        self.picture = picture
    }

    /// Returns the layers to compose for a tick.
    ///
    /// - Parameter tick: The index of the tick, counted from T0 at the session's frame rate.
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

    /// One sentence for each read error so far.
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
        // After a camera is replaced, its frames may have a different size, which requires different crops.
        let changes = picture.session.angles.flatMap(\.parts).map { rate.ticks(before: $0.from) }
        // While automatic framing moves a camera, each tick has its own layers.
        let time = rate.time(ofTick: tick)
        let isMoving = picture.session.isMoving(shot, at: time, size: picture.size, style: picture.style)
        let next = picture.session.nextArrangement(after: time).map {
            rate.ticks(before: MediaTime(nanoseconds: $0.at_ns))
        }
        let end =
            isMoving ? tick + 1 : (changes + [next].compactMap(\.self)).filter { $0 > tick }.min() ?? .max
        places = (layers, tick..<max(tick + 1, min(shot.end > tick ? shot.end : .max, end)))
        return layers
    }
}

extension PlannedLayer {
    /// A copy of the layer with an even position and size, as 4:2:0 chroma requires.
    fileprivate var even: PlannedLayer {
        var layer = self
        let place = shape.rectangle
        layer.rectangle = PixelRectangle(
            x: place.x & ~1, y: place.y & ~1, width: max(2, place.width & ~1),
            height: max(2, place.height & ~1))
        return layer
    }
}

/// A source of layers for each tick of a rendering. Not thread-safe.
protocol LayerSource: AnyObject {
    /// Returns the layers to compose for a tick.
    ///
    /// - Parameter tick: The index of the tick, counted from T0. Sequential access is fastest.
    /// - Returns: The layers, from back to front.
    func layers(at tick: Int64) -> [FrameLayer]

    /// One sentence for each read error so far.
    var faults: [String] { get }
}

/// Creates JPEGs of individual frames of a rendering. Not thread-safe.
final class PictureStill {
    private let source: PictureSource
    private let composer: any FrameComposing
    private let encoder = PreviewEncoder()
    private let picture: RenderedPicture

    /// Creates the compositor for a rendering.
    ///
    /// - Throws: `EncodingError` if memory allocation fails.
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

    /// Returns a JPEG of the frame at a tick.
    ///
    /// - Parameters:
    ///   - tick: The index of the tick, counted from T0 at the session's frame rate.
    ///   - width: Maximum width in pixels.
    /// - Returns: The bytes of the JPEG.
    /// - Throws: `EncodingError` if compositing or encoding fails.
    func jpeg(at tick: Int64, width: Int) throws(EncodingError) -> SharedBytes {
        let frame = try composer.compose(
            source.layers(at: tick),
            at: ClockTime(nanoseconds: picture.session.rate.time(ofTick: tick).nanoseconds),
            sequence: tick)
        return try encoder.jpeg(of: frame, atMost: width)
    }
}
