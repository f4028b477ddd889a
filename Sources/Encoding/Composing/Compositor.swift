import MulticamMedia

/// Paints layers on top of each other into one frame buffer that persists from tick to tick. Only the changed
/// parts of the frame are painted. Not thread-safe: use it from one thread only.
final class Compositor {
    private let painter = FramePainter()
    private let color: ColorDescription
    /// The layers as they were last painted; `nil` before the first frame.
    private var painted: [PaintedLayer]?

    /// Creates a compositor.
    ///
    /// - Parameter color: Color description of the composed frame.
    init(color: ColorDescription) {
        self.color = color
    }

    /// Indices of the layers in the last frame whose source frames were damaged.
    var damagedLayers: [Int] {
        let layers = painted ?? []
        return layers.indices.filter { layers[$0].isDamaged }
    }

    /// Returns the slate drawn for a layer of the last frame; `nil` if the layer has no slate.
    func slate(ofLayer index: Int) -> DrawnSlate? {
        painted?[index].slate
    }

    /// Whether the frame buffer already shows exactly these layers.
    func shows(_ layers: [FrameLayer]) -> Bool {
        guard let painted, painted.count == layers.count else { return false }
        return zip(painted, layers).allSatisfy { $0.shape == $1.shape && $0.shows($1) }
    }

    /// Paints the layers that changed, and the areas that they no longer cover.
    ///
    /// - Parameters:
    ///   - layers: Layers from bottom to top.
    ///   - canvas: Frame buffer, which must still contain the frame that was composed last.
    func compose(_ layers: [FrameLayer], onto canvas: Planes) {
        var next = painted ?? []
        let isSameLayout = painted != nil && next.map(\.shape) == layers.map(\.shape)
        if !isSameLayout {
            canvas.fill(.black(in: color))
            next = layers.map { PaintedLayer($0) }
        }
        let isNew = layers.indices.map { !next[$0].shows(layers[$0]) }
        saveCoveredPixels(&next, isNew: isNew, on: canvas)
        var changed: [PixelRectangle] = []
        for (index, layer) in layers.enumerated() {
            let isCovered = changed.contains { $0.overlaps(layer.shape.rectangle) }
            guard isCovered || isNew[index] else { continue }
            if isNew[index] {
                paint(layer, over: &next[index], onto: canvas, isCovered: isCovered)
            } else {
                next[index].savedPixels.restore(to: canvas.part(layer.shape.rectangle))
            }
            changed.append(layer.shape.rectangle)
        }
        painted = next
    }

    /// Saves the pixels of unchanged layers that will be overwritten by new frames of lower layers. Copying
    /// pixels takes a hundredth of the time of decoding them.
    ///
    /// Another layer may cover part of the copied area. Such a covering layer is painted again in any case,
    /// because it overlaps the changed area.
    private func saveCoveredPixels(_ layers: inout [PaintedLayer], isNew: [Bool], on canvas: Planes) {
        var changed: [PixelRectangle] = []
        for index in layers.indices {
            let place = layers[index].shape.rectangle
            let isCovered = changed.contains { $0.overlaps(place) }
            guard isNew[index] || isCovered else { continue }
            if !isNew[index] { layers[index].savedPixels.save(canvas.part(place)) }
            changed.append(place)
        }
    }

    private func paint(
        _ wanted: FrameLayer, over layer: inout PaintedLayer, onto canvas: Planes, isCovered: Bool
    ) {
        let frame = wanted.frame
        // A frame that is known to be damaged isn't decoded again.
        let isKnownDamaged = layer.isDamaged && frame != nil && layer.shows(wanted)
        var shown = isKnownDamaged ? layer.lastCompleteFrame : frame
        if !isKnownDamaged { layer.isDamaged = false }
        if let shownFirst = shown, !paintFrame(shownFirst, &layer, onto: canvas, isCovered: isCovered) {
            // The damaged frame may already have overwritten the rectangle, so the last complete frame is painted
            // again.
            layer.isDamaged = true
            shown = layer.lastCompleteFrame
            if let last = shown, !paintFrame(last, &layer, onto: canvas, isCovered: isCovered) {
                shown = nil
            }
        }
        if shown == nil { paintSlate(wanted.caption, &layer, onto: canvas) }
        layer.isSlate = frame == nil
        layer.frame = frame
        if frame == nil { layer.lastCompleteFrame = nil }
        if !layer.isDamaged, let frame, frame.pixel == .mjpeg { layer.lastCompleteFrame = frame }
    }

    /// Paints a frame, its border, and the black bars around it.
    ///
    /// - Returns: `false` if the frame is damaged.
    private func paintFrame(
        _ frame: CapturedFrame, _ layer: inout PaintedLayer, onto canvas: Planes, isCovered: Bool
    ) -> Bool {
        let shape = layer.shape
        guard
            let place = Placement(
                of: frame.size, pixel: shape.pixelAspect, crop: shape.crop, rotation: shape.rotation,
                fit: shape.fit,
                into: shape.inner)
        else { return false }
        let target = canvas.part(place.target)
        guard
            painter.paint(
                frame, place.source, rotation: shape.rotation, isMirrored: shape.isMirrored,
                isCoarse: shape.isCoarse, into: target)
        else { return false }
        ColorMap(from: FramePainter.paintedColor(of: frame), to: color)?.convert(target)
        // The border and bars are still in the frame buffer, unless they were overwritten or have moved.
        if isCovered || layer.target != place.target {
            paintBorder(shape, onto: canvas)
            let beside = PixelRectangle(
                x: place.target.x - shape.inner.x, y: place.target.y - shape.inner.y,
                width: place.target.width,
                height: place.target.height)
            canvas.part(shape.inner).fillOutside(beside, .black(in: color))
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

    private func paintBorder(_ shape: LayerShape, onto canvas: Planes) {
        let width = shape.inner.x - shape.rectangle.x
        if width > 0 { canvas.part(shape.rectangle).drawBorder(width: width, .white(in: color)) }
    }
}

/// Content of a layer's rectangle when it was last painted, used to decide whether it must be painted again.
struct PaintedLayer {
    let shape: LayerShape
    /// Rectangle that the frame covers, with black bars around it; `nil` for a slate and before the first painting.
    var target: PixelRectangle?
    /// The last requested frame. The reference is weak because the memory of raw frames is only borrowed.
    weak var frame: CapturedFrame?
    var isSlate = false
    /// The layer's slate, drawn when first needed and then cached. Caching saves time because moving content
    /// below the slate overwrites it at every tick.
    var slate: DrawnSlate?
    var isDamaged = false
    /// Copy of the layer's pixels, kept while lower layers are painted again.
    var savedPixels = SavedPixels()
    /// Last complete JPEG, shown instead of a damaged one.
    var lastCompleteFrame: CapturedFrame?

    init(_ layer: FrameLayer) {
        shape = layer.shape
    }

    /// Whether the frame buffer already shows the frame or slate of the given layer. Both layers must have
    /// the same shape.
    func shows(_ wanted: FrameLayer) -> Bool {
        guard let asked = wanted.frame else { return isSlate && slate?.caption == wanted.caption }
        return frame === asked
    }
}

/// Copy of a rectangle of a 4:2:0 frame that can be restored later. The copy's memory is reused.
struct SavedPixels {
    private var memory = ScratchPlanes()
    private var planes: Planes?

    /// Copies the pixels of `source`.
    mutating func save(_ source: Planes) {
        let planes = memory.planes(source.size, source.horizontalShift, source.verticalShift)
        source.scale(into: planes)
        self.planes = planes
    }

    /// Restores the copied pixels to `target`, which must have the size of the copy.
    func restore(to target: Planes) {
        planes?.scale(into: target)
    }
}
