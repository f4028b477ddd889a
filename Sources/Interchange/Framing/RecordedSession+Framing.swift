package import MulticamMedia
internal import MulticamPlan
package import MulticamProfiles
internal import MulticamSessionFolder

/// How the cameras of a recording are framed automatically.
package struct FramingSettings: Sendable, Equatable {
    /// People that are kept in frame; not `off`.
    package var mode: FramingMode
    /// Largest enlargement of the cameras' pixels, 1…4.
    package var maxEnlargement: Double

    /// Creates settings. Each parameter sets the property of the same name.
    package init(mode: FramingMode, maxEnlargement: Double) {
        (self.mode, self.maxEnlargement) = (mode, maxEnlargement)
    }
}

extension RecordedSession {
    /// Returns the recording as if a cut had been its program, and automatic framing had kept people in frame. The session
    /// then contains the arrangements and motions that a recorded program with this framing has, so rendering and export need
    /// no other information.
    ///
    /// The visible part of a camera stays within the largest part that the recorded program showed of it. In a picture that
    /// is higher than wide, the layout `side-by-side` places cameras one above the other. The mix doesn't change.
    ///
    /// - Parameters:
    ///   - settings: People that are kept in frame.
    ///   - cut: A cut of this session.
    ///   - size: Size of the picture in pixels, even; `nil` for the session's size.
    ///   - style: Position of insets; `nil` as for `layers(of:at:size:style:)`.
    ///   - analyses: The analyzed frames of each camera, in order, by role. Faces are in fractions of the frames of the
    ///     camera's track, rotated upright as its files declare. Cameras without faces show the middle of the frame.
    /// - Returns: The session, whose size is `size`, and its cut, which contains only cameras with a track.
    package func framed(
        _ settings: FramingSettings, _ cut: Cut, size: FrameSize? = nil, style: InsetStyle? = nil,
        analyses: [String: [AnalyzedFrame]]
    ) -> (session: RecordedSession, cut: Cut) {
        var framer = CutFramer(self, settings, size: size ?? self.size, style: style, analyses: analyses)
        for shot in cut.shots { framer.add(shot) }
        return framer.result(rate: cut.rate)
    }

    /// The arrangements at which the mix changes, with the first one.
    fileprivate var mixes: [Manifest.Arrangement] {
        arrangements.reduce(into: []) { mixes, next in
            guard let last = mixes.last, (last.gains, last.processing) == (next.gains, next.processing) else {
                mixes.append(next)
                return
            }
        }
    }
}

/// Builds the arrangements and motions of a cut that is framed automatically, shot by shot.
private struct CutFramer {
    private let session: RecordedSession
    private let settings: FramingSettings
    private let size: FrameSize
    private let style: InsetStyle?
    private let analyses: [String: [AnalyzedFrame]]
    private let mixes: [Manifest.Arrangement]
    private var framings: [Source: RecordedFraming] = [:]
    /// The cameras of the previous shot.
    private var cameras: [String: Camera] = [:]
    private var arrangements: [Manifest.Arrangement] = []
    private var motions: [Manifest.Framing] = []
    private var shots: [Cut.Shot] = []

    /// A camera in an orientation.
    private struct Source: Hashable {
        var role: String
        var rotation: Rotation
    }

    private struct Camera {
        var source: Source
        var view: FramedView
        var policy: FramingPolicy
    }

    init(
        _ session: RecordedSession, _ settings: FramingSettings, size: FrameSize, style: InsetStyle?,
        analyses: [String: [AnalyzedFrame]]
    ) {
        (self.session, self.settings, self.size, self.style) = (session, settings, size, style)
        self.analyses = analyses
        mixes = session.mixes
    }

    func result(rate: FrameRate) -> (session: RecordedSession, cut: Cut) {
        var framed = session
        framed.size = size
        framed.arrangements = Manifest.Arrangement.framed(arrangements, motions)
        return (framed, Cut(rate: rate, shots: shots))
    }

    mutating func add(_ shot: Cut.Shot) {
        let (begin, end) = (session.rate.time(ofTick: shot.first), session.rate.time(ofTick: shot.end))
        var layers = session.framedLayers(of: shot, size: size, style: style)
        var moved: [(role: String, motions: [FramingMotion])] = []
        var current: [String: Camera] = [:]
        for index in layers.indices {
            let role = layers[index].role
            guard let track = session.angle(role), let stored = track.size(at: begin) else { continue }
            let source = Source(role: role, rotation: layers[index].rotation)
            let view = view(of: layers[index], in: track, stored: stored)
            let framing = framing(of: source, in: track)
            var policy =
                if let previous = cameras[role], previous.source == source, previous.view == view {
                    previous.policy
                } else {
                    framing.policy(settings.mode, view, from: begin)
                }
            layers[index].motion = policy.motion.limited(to: view)
            var motions: [FramingMotion] = []
            framing.advance(&policy, from: begin, to: end) { motions.append($0) }
            current[role] = Camera(source: source, view: view, policy: policy)
            moved.append((role, motions))
        }
        cameras = current
        var placed = shot
        placed.cameras = layers.map(\.role)
        shots.append(placed)
        // Without a program, all microphones are mixed unchanged.
        let unchanged: [String: Double?] = Dictionary(
            session.microphones.map { ($0.role, Double?(0)) }, uniquingKeysWith: { first, _ in first })
        let changes = mixes.map(\.at_ns).filter { $0 > begin.nanoseconds && $0 < end.nanoseconds }
        for time in [begin.nanoseconds] + changes {
            let mix = mixes.last { $0.at_ns <= time } ?? mixes.first
            let shown = layers.map { layer in
                var layer = layer
                let last = moved.first { $0.role == layer.role }?.motions.last { $0.from_ns <= time }
                layer.motion = last ?? layer.motion
                return layer
            }
            arrangements.append(
                Manifest.Arrangement(
                    at_ns: time, layout: shot.layout, layers: shown, gains: mix?.gains ?? unchanged,
                    processing: mix?.processing))
        }
        for (role, own) in moved {
            motions += own.map { Manifest.Framing(at_ns: $0.from_ns, role: role, motion: $0) }
        }
    }

    /// Returns the limits of a camera's visible part.
    private func view(of layer: Manifest.Layer, in track: SessionTrack, stored: FrameSize) -> FramedView {
        let whole = track.cameraSize(stored: stored)
        let upright = layer.rotation.swapsSides ? whole.transposed : whole
        let kept = track.shown.turned(by: layer.rotation)
        let bounds = session.largestPart(of: layer.role, rotation: layer.rotation).intersection(kept) ?? kept
        return FramedView(
            of: LayerShape(
                PixelRectangle(x: layer.x, y: layer.y, width: layer.width, height: layer.height),
                fit: layer.fit, rotation: layer.rotation, pixelAspect: track.pixelAspect),
            upright: upright, within: bounds.pixels(of: upright), maxEnlargement: settings.maxEnlargement)
    }

    private mutating func framing(of source: Source, in track: SessionTrack) -> RecordedFraming {
        if let framing = framings[source] { return framing }
        let outer = track.shown.turned(by: source.rotation)
        let turn = source.rotation - track.rotation
        let frames = (analyses[source.role] ?? []).map { frame in
            AnalyzedFrame(
                at_ns: frame.at_ns,
                faces: frame.faces.compactMap { face in
                    let box = face.box.turned(by: turn)
                    guard
                        let part = FramePart(
                            x: outer.x + box.x * outer.width, y: outer.y + box.y * outer.height,
                            width: box.width * outer.width, height: box.height * outer.height)
                    else { return nil }
                    var face = face
                    face.box = part
                    return face
                })
        }
        let framing = RecordedFraming(frames)
        framings[source] = framing
        return framing
    }
}

extension RecordedSession {
    /// Returns the layers of a shot whose cameras are framed automatically and fill their rectangles.
    fileprivate func framedLayers(of shot: Cut.Shot, size: FrameSize, style: InsetStyle?) -> [Manifest.Layer]
    {
        let start = rate.time(ofTick: shot.first)
        let recorded = recordedLayers(of: shot, at: start, size: size, style: style).layers
        let planned = layers(of: shot, size: size, style: style)
        let isStack = shot.layout == .sideBySide && size.height > size.width
        return planned.enumerated().compactMap { index, place in
            guard var layer = recorded.first(where: { $0.role == place.role }) else { return nil }
            let rectangle = isStack ? size.row(index, of: planned.count) : place.rectangle
            (layer.x, layer.y) = (rectangle.x & ~1, rectangle.y & ~1)
            (layer.width, layer.height) = (max(2, rectangle.width & ~1), max(2, rectangle.height & ~1))
            (layer.fit, layer.border) = (.cover, place.border)
            return layer
        }
    }

    /// Returns the largest part of a camera's frames that the recorded program showed, in the orientation of a rotation; the
    /// whole frame for a camera that was never shown.
    fileprivate func largestPart(of role: String, rotation: Rotation) -> FramePart {
        let parts = arrangements.lazy.flatMap(\.layers).filter { $0.role == role }.map { layer in
            layer.motion.map { $0.bounds.turned(by: rotation - layer.rotation) }
                ?? layer.crop.turned(by: rotation)
        }
        return parts.max { $0.width * $0.height < $1.width * $1.height } ?? .whole
    }
}

extension FrameSize {
    /// Returns a row of the frame, with even edges.
    fileprivate func row(_ index: Int, of count: Int) -> PixelRectangle {
        func edge(_ index: Int) -> Int { 2 * ((height * index + count) / (2 * count)) }
        return PixelRectangle(x: 0, y: edge(index), width: width, height: edge(index + 1) - edge(index))
    }
}

extension FramingMotion {
    /// Returns the motion within the limits of a view; the motion of a policy that hasn't moved yet has none.
    fileprivate func limited(to view: FramedView) -> FramingMotion {
        var motion = self
        (motion.ratio, motion.bounds, motion.min_height) = (view.ratio, view.bounds, view.minHeight)
        return motion
    }
}
