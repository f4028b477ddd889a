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
        var shape = place.shape
        shape.crop = shape.crop?.scaled(from: plannedSize, to: frame?.size ?? plannedSize)
        shape.isCoarse = isCoarse || shape.isCoarse
        self.init(frame: frame, shape, caption: caption)
    }
}
