package import MulticamMedia
package import MulticamPlan
package import MulticamProfiles
package import MulticamSessionFolder

extension InsetStyle {
    /// Returns the style for a picture of another size. Only the width of the border is in pixels; the scaled
    /// width is even.
    package func scaled(from size: FrameSize, to other: FrameSize) -> InsetStyle {
        var style = self
        style.border = Self.border(border, from: size, to: other)
        return style
    }

    /// Returns the border width for a picture of another size, in pixels and even.
    fileprivate static func border(_ width: Int, from size: FrameSize, to other: FrameSize) -> Int {
        guard size != other else { return width }
        let scaled = width.multipliedReportingOverflow(by: other.width)
        return scaled.overflow ? 0 : scaled.partialValue / max(1, size.width) / 2 * 2
    }
}

extension RecordedSession {
    /// Returns the layers of a shot at an instant, from back to front, over black.
    ///
    /// If `style` is `nil` and the program showed the same cameras in the same layout at the shot's
    /// beginning, the layers are the program's own. Otherwise, the layout places the cameras as in the
    /// program of a profile. Crops are in pixels of the stored frames of the tracks. Cameras without a track
    /// are left out.
    ///
    /// - Parameters:
    ///   - shot: A shot of a cut of this session.
    ///   - time: An instant in the shot, since the size of a camera's frames may change. The default is the beginning
    ///     of the shot.
    ///   - size: Size of the picture in pixels, even. The default is the session's size.
    ///   - style: Position of insets, and how frames are fitted; `nil` for the program's own layers if it showed the
    ///     shot, otherwise for the layout's default style.
    /// - Returns: One layer for each camera that is shown.
    package func layers(
        of shot: Cut.Shot, at time: MediaTime? = nil, size: FrameSize? = nil,
        style: InsetStyle? = nil
    ) -> [PlannedLayer] {
        let start = rate.time(ofTick: shot.first)
        let (time, size) = (time ?? start, size ?? self.size)
        var shown = arrangement(at: start)
        // During a shot, automatic framing only moves the visible parts.
        if let now = arrangement(at: time), now.hasSameLayers(as: shown) { shown = now }
        let isProgram =
            shown.map { $0.layout == shot.layout && $0.layers.map(\.role) == shot.cameras } ?? false
        if style == nil, let shown, isProgram,
            size.width * self.size.height == size.height * self.size.width
        {
            return shown.layers.compactMap { layer in
                var scaled = layer
                scaled.border = InsetStyle.border(layer.border, from: self.size, to: size)
                return planned(scaled, at: time, rectangle: layer.rectangle.scaled(from: self.size, to: size))
            }
        }
        let layout = shot.layout
        let style = style ?? InsetStyle(fit: layout.defaultFit)
        let looks = shot.cameras.filter { angle($0) != nil }.map { appearance(of: $0, at: time) }
        let rectangles = layout.rectangles(for: looks.map { upright($0, at: time) }, in: size, style)
        return zip(looks, rectangles).enumerated().compactMap { index, place in
            guard var layer = planned(place.0, at: time, rectangle: place.1) else { return nil }
            style.apply(to: &layer.shape, isInset: layout.isInset(index))
            return layer
        }
    }

    /// Returns the arrangement of the program at an instant; `nil` without a program.
    package func arrangement(at time: MediaTime) -> Manifest.Arrangement? {
        arrangements.last { $0.at_ns <= time.nanoseconds } ?? arrangements.first
    }

    /// Returns the last appearance of a camera in the program before an instant, otherwise its first one. A camera that
    /// was never shown is upright and uncropped.
    private func appearance(of role: String, at time: MediaTime) -> Manifest.Layer {
        let shown = arrangements.filter { arrangement in arrangement.layers.contains { $0.role == role } }
        let nearest = shown.last { $0.at_ns <= time.nanoseconds } ?? shown.first
        return nearest?.layers.first { $0.role == role }
            ?? Manifest.Layer(
                role: role, x: 0, y: 0, width: 0, height: 0, crop: .whole,
                rotation: angle(role)?.rotation ?? .none, mirrored: false, fit: .contain, border: 0)
    }

    /// Returns the upright size of the part of a camera that a layer shows.
    private func upright(_ layer: Manifest.Layer, at time: MediaTime) -> FrameSize {
        guard let track = angle(layer.role), let stored = track.size(at: time) else { return size }
        let part = crop(layer.crop, of: track, stored: stored)?.size ?? stored
        let pixel = track.pixelAspect ?? .square
        let seen = FrameSize(width: part.width * pixel.width, height: part.height * pixel.height)
        return layer.rotation.swapsSides ? seen.transposed : seen
    }

    private func planned(
        _ layer: Manifest.Layer, at time: MediaTime, rectangle: PixelRectangle
    ) -> PlannedLayer? {
        guard let track = angle(layer.role), let stored = track.size(at: time) else { return nil }
        var layer = layer
        if let motion = layer.motion {
            // The rounding to pixels is that of the recorded program if the track contains the camera's whole frames.
            let crop = motion.crop(at: time.nanoseconds, of: stored, rotation: layer.rotation)
            layer.crop = FramePart(crop, of: stored)
        }
        return PlannedLayer(
            role: layer.role,
            LayerShape(
                rectangle, fit: layer.fit, rotation: layer.rotation, isMirrored: layer.mirrored,
                pixelAspect: track.pixelAspect, crop: crop(layer.crop, of: track, stored: stored),
                border: layer.border))
    }

    /// Returns the part of a track's stored frames that corresponds to a part of the camera's frames; `nil` for the
    /// whole frame.
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

extension Manifest.Arrangement {
    /// Whether the program shows the same cameras at the same places; the visible parts of cameras that are framed
    /// automatically may differ.
    package func hasSameLayers(as other: Self?) -> Bool {
        guard let other, layout == other.layout, layers.count == other.layers.count else { return false }
        return zip(layers, other.layers).allSatisfy { layer, other in
            var layer = layer
            if layer.motion != nil, other.motion != nil {
                (layer.motion, layer.crop) = (other.motion, other.crop)
            }
            return layer == other
        }
    }

    /// Whether a camera moves at a time, in nanoseconds since T0.
    package func isMoving(at time: Int64) -> Bool {
        layers.contains { $0.motion.map { !$0.hasEnded(at: time) } ?? false }
    }
}

extension Manifest.Layer {
    fileprivate var rectangle: PixelRectangle { PixelRectangle(x: x, y: y, width: width, height: height) }
}
