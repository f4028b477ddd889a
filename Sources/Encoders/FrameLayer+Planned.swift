package import MulticamMedia
package import MulticamPlan

extension FrameLayer {
    /// Creates the layer of a frame as specified in the plan.
    ///
    /// - Parameters:
    ///   - frame: The frame, or `nil` for a slate. If the frame's size differs from the plan, for example after a
    ///     camera was replaced, the crop keeps its relative position.
    ///   - place: The planned layer.
    ///   - plannedSize: Frame size that the plan's crop refers to, in pixels.
    ///   - caption: Caption of the slate.
    ///   - isCoarse: Whether a JPEG frame may be decoded at half the layer's size, even if the plan doesn't
    ///     allow it.
    package init(
        frame: CapturedFrame?, _ place: PlannedLayer, plannedSize: FrameSize, caption: SlateCaption,
        isCoarse: Bool
    ) {
        self.init(
            frame: frame, rectangle: place.rectangle, fit: place.fit, rotation: place.rotation,
            isMirrored: place.isMirrored, pixelAspect: place.pixelAspect,
            crop: place.crop?.scaled(from: plannedSize, to: frame?.size ?? plannedSize),
            border: place.border, caption: caption, isCoarse: isCoarse || place.isCoarse)
    }
}
