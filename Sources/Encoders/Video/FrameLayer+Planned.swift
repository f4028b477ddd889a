package import Media
package import Plan

extension FrameLayer {
    /// A frame at its planned place.
    ///
    /// - Parameters:
    ///   - frame: `nil` for a slate. One that has not the size of the plan, as its camera was changed, is cropped at the same
    ///     place.
    ///   - place: Where it goes.
    ///   - plannedSize: Of the frame that the plan's crop is a part of.
    ///   - caption: Of a slate.
    ///   - isCoarse: Whether half of the place's size is enough to decode at, though the plan does not say so.
    package init(
        frame: CapturedFrame?, _ place: PlannedLayer, plannedSize: FrameSize, caption: SlateCaption,
        isCoarse: Bool
    ) {
        self.init(
            frame: frame, rectangle: place.rectangle, filling: place.filling, rotation: place.rotation,
            isMirrored: place.isMirrored,
            crop: place.crop?.scaled(from: plannedSize, to: frame?.size ?? plannedSize),
            border: place.border, caption: caption, isCoarse: isCoarse || place.isCoarse)
    }
}
