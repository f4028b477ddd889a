import Media

/// Paints layers over each other into one frame buffer that persists from tick to tick, and paints only what changed.
/// Used by one thread alone.
final class Compositor {
    private let painter = FramePainter()
    private let color: ColorDescription
    /// The layers as last painted; `nil` before the first frame.
    private var painted: [PaintedLayer]?

    /// Makes a compositor.
    ///
    /// - Parameter color: Color description of the composed frame.
    init(color: ColorDescription) {
        self.color = color
    }

    /// Indices of the last frame's layers whose own frames were damaged.
    var damagedLayers: [Int] {
        let layers = painted ?? []
        return layers.indices.filter { layers[$0].isDamaged }
    }

    /// The slate that was drawn for a layer of the last frame, if any.
    func slate(ofLayer index: Int) -> DrawnSlate? {
        painted?[index].slate
    }

    /// Whether composing these layers would change nothing.
    func shows(_ layers: [FrameLayer]) -> Bool {
        guard let painted, painted.count == layers.count else { return false }
        return zip(painted, layers).allSatisfy { $0.shape == PaintedLayer.Shape($1) && $0.shows($1) }
    }

    /// Paints the layers that changed, and what they uncover.
    ///
    /// - Parameters:
    ///   - layers: The layers from bottom to top.
    ///   - canvas: The frame buffer, which must hold the frame that was composed last.
    func compose(_ layers: [FrameLayer], onto canvas: Planes) {
        var next = painted ?? []
        let isSameLayout = painted != nil && next.map(\.shape) == layers.map { PaintedLayer.Shape($0) }
        if !isSameLayout {
            canvas.fill(.black(in: color))
            next = layers.map { PaintedLayer($0) }
        }
        let isNew = layers.indices.map { !next[$0].shows(layers[$0]) }
        putAside(&next, isNew: isNew, on: canvas)
        var changed: [PixelRectangle] = []
        for (index, layer) in layers.enumerated() {
            let isCovered = changed.contains { $0.overlaps(layer.rectangle) }
            guard isCovered || isNew[index] else { continue }
            if isNew[index] {
                paint(layer, over: &next[index], onto: canvas, isCovered: isCovered)
            } else {
                next[index].aside.copy(to: canvas.part(layer.rectangle))
            }
            changed.append(layer.rectangle)
        }
        painted = next
    }

    /// Copies the pixels of unchanged layers that new frames below would cover: copying pixels costs a hundredth of
    /// decoding them.
    ///
    /// A layer above may hide a part of what is copied. It is then painted again itself, as it overlaps what changed.
    private func putAside(_ layers: inout [PaintedLayer], isNew: [Bool], on canvas: Planes) {
        var changed: [PixelRectangle] = []
        for index in layers.indices {
            let place = layers[index].shape.rectangle
            let isCovered = changed.contains { $0.overlaps(place) }
            guard isNew[index] || isCovered else { continue }
            if !isNew[index] { layers[index].aside.keep(canvas.part(place)) }
            changed.append(place)
        }
    }

    private func paint(
        _ wanted: FrameLayer, over layer: inout PaintedLayer, onto canvas: Planes, isCovered: Bool
    ) {
        let frame = wanted.frame
        // A frame that is known to be damaged is not decoded a second time.
        let isKnownDamaged = layer.isDamaged && frame != nil && layer.shows(wanted)
        var shown = isKnownDamaged ? layer.lastWhole : frame
        if !isKnownDamaged { layer.isDamaged = false }
        if let shownFirst = shown, !paintFrame(shownFirst, &layer, onto: canvas, isCovered: isCovered) {
            // The damaged frame may have overwritten the rectangle already, so the last whole one is painted again.
            layer.isDamaged = true
            shown = layer.lastWhole
            if let last = shown, !paintFrame(last, &layer, onto: canvas, isCovered: isCovered) {
                shown = nil
            }
        }
        if shown == nil { paintSlate(wanted.caption, &layer, onto: canvas) }
        layer.isSlate = frame == nil
        layer.frame = frame
        if frame == nil { layer.lastWhole = nil }
        if !layer.isDamaged, let frame, frame.pixel == .mjpeg { layer.lastWhole = frame }
    }

    /// Paints a frame, its border and its bars.
    ///
    /// - Returns: `false` when the frame is damaged.
    private func paintFrame(
        _ frame: CapturedFrame, _ layer: inout PaintedLayer, onto canvas: Planes, isCovered: Bool
    ) -> Bool {
        let shape = layer.shape
        guard
            let place = Placement(
                of: frame.size, crop: shape.crop, rotation: shape.rotation, filling: shape.filling,
                into: shape.inner)
        else { return false }
        let target = canvas.part(place.target)
        guard
            painter.paint(
                frame, place.source, rotation: shape.rotation, isMirrored: shape.isMirrored,
                isCoarse: shape.isCoarse, into: target)
        else { return false }
        ColorMap(from: FramePainter.meaning(of: frame), to: color)?.convert(target)
        // Border and bars stay from the last time, unless they were painted over or lie elsewhere now.
        if isCovered || layer.target != place.target {
            paintBorder(shape, onto: canvas)
            let beside = PixelRectangle(
                x: place.target.x - shape.inner.x, y: place.target.y - shape.inner.y,
                width: place.target.width,
                height: place.target.height)
            canvas.part(shape.inner).surround(beside, .black(in: color))
        }
        layer.target = place.target
        return true
    }

    private func paintSlate(_ caption: SlateCaption?, _ layer: inout PaintedLayer, onto canvas: Planes) {
        paintBorder(layer.shape, onto: canvas)
        let inner = layer.shape.inner
        let slate: DrawnSlate
        if let drawn = layer.slate, drawn.caption == caption {
            slate = drawn
        } else {
            slate = DrawnSlate(caption, size: inner.size, color: color)
        }
        slate.paint(onto: canvas.part(inner))
        layer.slate = slate
        layer.target = nil
    }

    private func paintBorder(_ shape: PaintedLayer.Shape, onto canvas: Planes) {
        let width = shape.inner.x - shape.rectangle.x
        if width > 0 { canvas.part(shape.rectangle).frame(width: width, .white(in: color)) }
    }
}
