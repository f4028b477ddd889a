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
        let (time, size) = (time ?? rate.time(ofTick: shot.first), size ?? self.size)
        let (recorded, isProgram) = recordedLayers(of: shot, at: time, size: size, style: style)
        if isProgram {
            return recorded.compactMap { layer in
                var scaled = layer
                scaled.border = InsetStyle.border(layer.border, from: self.size, to: size)
                return planned(scaled, at: time, rectangle: layer.rectangle.scaled(from: self.size, to: size))
            }
        }
        let layout = shot.layout
        let style = style ?? InsetStyle(fit: layout.defaultFit)
        let rectangles = layout.rectangles(
            for: recorded.map { upright($0, in: shot, at: time) }, in: size, style)
        return zip(recorded, rectangles).enumerated().compactMap { index, place in
            guard var layer = planned(place.0, at: time, rectangle: place.1) else { return nil }
            style.apply(to: &layer.shape, isInset: layout.isInset(index))
            return layer
        }
    }

    /// Whether automatic framing moves a camera in a shot at an instant. The parameters are those of `layers`.
    package func isMoving(
        _ shot: Cut.Shot, at time: MediaTime, size: FrameSize, style: InsetStyle?
    ) -> Bool {
        recordedLayers(of: shot, at: time, size: size, style: style).layers.contains { layer in
            layer.motion.map { !$0.hasEnded(at: time.nanoseconds) } ?? false
        }
    }

    /// Returns the layers of the program at the beginning of a shot if it showed the shot, otherwise the appearances of the
    /// shot's cameras. During a shot, automatic framing only moves the visible parts; all other changes of the program
    /// don't affect it.
    func recordedLayers(
        of shot: Cut.Shot, at time: MediaTime, size: FrameSize, style: InsetStyle?
    ) -> (layers: [Manifest.Layer], isProgram: Bool) {
        let start = rate.time(ofTick: shot.first)
        if style == nil, let begin = arrangement(at: start), begin.layout == shot.layout,
            begin.layers.map(\.role) == shot.cameras,
            size.width * self.size.height == size.height * self.size.width
        {
            let now = arrangement(at: time)
            return (now.flatMap { $0.hasSameLayers(as: begin) ? $0.layers : nil } ?? begin.layers, true)
        }
        let layers = shot.cameras.filter { angle($0) != nil }.map { role in
            var layer = appearance(of: role, at: start)
            if let begin = layer.motion, var motion = appearance(of: role, at: time).motion {
                (motion.ratio, motion.bounds, motion.min_height) = (
                    begin.ratio, begin.bounds, begin.min_height
                )
                layer.motion = motion
            }
            return layer
        }
        return (layers, false)
    }

    /// Returns the arrangement of the program at an instant; `nil` without a program.
    package func arrangement(at time: MediaTime) -> Manifest.Arrangement? {
        let next = indexOfArrangement(after: time)
        return next > 0 ? arrangements[next - 1] : arrangements.first
    }

    /// Returns the first arrangement of the program after an instant; `nil` if there is none.
    package func nextArrangement(after time: MediaTime) -> Manifest.Arrangement? {
        let next = indexOfArrangement(after: time)
        return next < arrangements.count ? arrangements[next] : nil
    }

    /// Automatic framing adds thousands of arrangements per hour, so this is a binary search.
    private func indexOfArrangement(after time: MediaTime) -> Int {
        var range = arrangements.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                arrangements[middle].at_ns <= time.nanoseconds
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// Returns the last appearance of a camera in the program before an instant, otherwise its first one. A camera that
    /// was never shown is upright and uncropped.
    private func appearance(of role: String, at time: MediaTime) -> Manifest.Layer {
        func layer(_ arrangement: Manifest.Arrangement) -> Manifest.Layer? {
            arrangement.layers.first { $0.role == role }
        }
        let next = indexOfArrangement(after: time)
        return arrangements[..<next].reversed().lazy.compactMap(layer).first
            ?? arrangements[next...].lazy.compactMap(layer).first
            ?? Manifest.Layer(
                role: role, x: 0, y: 0, width: 0, height: 0, crop: .whole,
                rotation: angle(role)?.rotation ?? .none, mirrored: false, fit: .contain, border: 0)
    }

    /// Returns the upright size of the part of a camera that a layer shows at the beginning of a shot, so that the
    /// rectangles don't change while automatic framing moves the part.
    private func upright(_ layer: Manifest.Layer, in shot: Cut.Shot, at time: MediaTime) -> FrameSize {
        guard let track = angle(layer.role), let stored = track.size(at: time) else { return size }
        let begin = rate.time(ofTick: shot.first)
        let seen = visiblePart(of: layer, at: begin, track.cameraSize(stored: stored))
        let part = crop(seen, of: track, stored: stored)?.size ?? stored
        let pixel = track.pixelAspect ?? .square
        let shown = FrameSize(width: part.width * pixel.width, height: part.height * pixel.height)
        return layer.rotation.swapsSides ? shown.transposed : shown
    }

    private func planned(
        _ layer: Manifest.Layer, at time: MediaTime, rectangle: PixelRectangle
    ) -> PlannedLayer? {
        guard let track = angle(layer.role), let stored = track.size(at: time) else { return nil }
        let part = visiblePart(of: layer, at: time, track.cameraSize(stored: stored))
        return PlannedLayer(
            role: layer.role,
            LayerShape(
                rectangle, fit: layer.fit, rotation: layer.rotation, isMirrored: layer.mirrored,
                pixelAspect: track.pixelAspect, crop: crop(part, of: track, stored: stored),
                border: layer.border))
    }

    /// Returns the visible part of a camera's frames. The rounding to pixels is that of the recorded program if the track
    /// contains the camera's whole frames.
    private func visiblePart(of layer: Manifest.Layer, at time: MediaTime, _ frame: FrameSize) -> FramePart {
        layer.motion.map {
            FramePart($0.crop(at: time.nanoseconds, of: frame, rotation: layer.rotation), of: frame)
        } ?? layer.crop
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

extension SessionTrack {
    /// Returns the size of the camera's stored frames at the track's resolution. They are larger than the track's frames if the
    /// track contains only a part of them.
    func cameraSize(stored: FrameSize) -> FrameSize {
        // A manifest that was edited may contain any crop.
        func side(_ length: Int, _ share: Double) -> Int {
            min(max(2, Int(rounding: Double(length) / share)), 16_384)
        }
        return FrameSize(width: side(stored.width, shown.width), height: side(stored.height, shown.height))
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
}

extension Manifest.Layer {
    fileprivate var rectangle: PixelRectangle { PixelRectangle(x: x, y: y, width: width, height: height) }
}
