public import Media
public import Plan
internal import Profiles
public import SessionFolder

extension RecordedSession {
    /// The layered picture of a shot at an instant, from the back to the front, over black.
    ///
    /// Where no look is asked for and the program showed the same cameras in the same layout at the shot's beginning, the layers are
    /// the program's own. Otherwise the layout places the cameras as a profile's program would. Crops are in pixels of the stored frames of the
    /// tracks. Cameras without a track are left out.
    ///
    /// - Parameters:
    ///   - shot: A shot of a cut of this session.
    ///   - time: An instant in the shot, since a camera's frames may change their size; its beginning by default.
    ///   - size: Size of the picture in pixels, even; the session's by default.
    ///   - look: Where insets stand, and how frames fill their places; `nil` for the program's own look where it has one.
    /// - Returns: One layer for each camera that is shown.
    public func layers(
        of shot: Cut.Shot, at time: MediaTime? = nil, size: FrameSize? = nil,
        look: ProgramLook? = nil
    ) -> [PlannedLayer] {
        let start = rate.time(ofTick: shot.first)
        let (time, size) = (time ?? start, size ?? self.size)
        let shown = arrangement(at: start)
        let isProgram = shown.map { $0.layout == shot.layout && $0.layers.map(\.role) == shot.show } ?? false
        if look == nil, let shown, isProgram,
            size.width * self.size.height == size.height * self.size.width
        {
            return shown.layers.compactMap { layer in
                var scaled = layer
                scaled.border = ProgramLook.border(layer.border, from: self.size, to: size)
                return planned(scaled, at: time, rectangle: layer.rectangle.scaled(from: self.size, to: size))
            }
        }
        let look = look ?? ProgramLook()
        let layout = ProgramSettings.Layout(rawValue: shot.layout) ?? .single
        let looks = shot.show.filter { angle($0) != nil }.map { appearance(of: $0, at: start) }
        let geometry = ProgramLayout(
            size: size, kind: layout, corner: look.corner, insetShare: look.insetShare,
            marginShare: look.marginShare)
        let rectangles = geometry.rectangles(for: looks.map { upright($0, at: time) })
        return zip(looks, rectangles).enumerated().compactMap { index, place in
            var layer = place.0
            let isInset = layout == .pip && index > 0
            layer.filling = (isInset ? .fill : look.filling ?? layout.usualFilling).rawValue
            layer.border = isInset ? (look.border + 1) / 2 * 2 : 0
            return planned(layer, at: time, rectangle: place.1)
        }
    }

    /// The arrangement of the program at an instant; `nil` without a program.
    public func arrangement(at time: MediaTime) -> Manifest.Arrangement? {
        arrangements.last { $0.at_ns <= time.nanoseconds } ?? arrangements.first
    }

    /// How the program showed a camera last, or else first; upright and whole where it never did.
    private func appearance(of role: String, at time: MediaTime) -> Manifest.Layer {
        let shown = arrangements.filter { arrangement in arrangement.layers.contains { $0.role == role } }
        let nearest = shown.last { $0.at_ns <= time.nanoseconds } ?? shown.first
        return nearest?.layers.first { $0.role == role }
            ?? Manifest.Layer(
                role: role, x: 0, y: 0, width: 0, height: 0, crop: .whole,
                rotation: angle(role)?.rotation.degrees ?? 0, mirrored: false, filling: "fit", border: 0)
    }

    /// Size of the part of a camera that a layer shows, upright.
    private func upright(_ layer: Manifest.Layer, at time: MediaTime) -> FrameSize {
        guard let track = angle(layer.role), let stored = track.size(at: time) else { return size }
        let part = crop(layer.crop, of: track, stored: stored)?.size ?? stored
        return Rotation(rawValue: layer.rotation)?.swapsSides == true ? part.turned : part
    }

    private func planned(
        _ layer: Manifest.Layer, at time: MediaTime, rectangle: PixelRectangle
    ) -> PlannedLayer? {
        guard let track = angle(layer.role), let stored = track.size(at: time) else { return nil }
        return PlannedLayer(
            role: layer.role, rectangle: rectangle,
            filling: FrameLayer.Filling(rawValue: layer.filling) ?? .fit,
            rotation: Rotation(rawValue: layer.rotation) ?? .none, isMirrored: layer.mirrored,
            crop: crop(layer.crop, of: track, stored: stored), border: layer.border)
    }

    /// The part of a track's stored frames that shows a part of the camera's frames; `nil` for all of them.
    private func crop(_ part: FramePart, of track: SessionTrack, stored: FrameSize) -> PixelRectangle? {
        let (outer, whole) = (track.shown, FramePart.whole)
        func share(_ begin: Double, _ length: Double, _ from: Double, _ of: Double) -> (Double, Double) {
            let first = min(max((begin - from) / of, 0), 1)
            return (first, min(max((begin + length - from) / of, 0), 1) - first)
        }
        let (x, width) = share(part.x, part.width, outer.x, outer.width)
        let (y, height) = share(part.y, part.height, outer.y, outer.height)
        guard let inner = FramePart(x: x, y: y, width: width, height: height), inner != whole else {
            return nil
        }
        let pixels = inner.pixels(of: stored)
        return pixels.size == stored ? nil : pixels
    }
}

extension Manifest.Layer {
    fileprivate var rectangle: PixelRectangle { PixelRectangle(x: x, y: y, width: width, height: height) }
}
