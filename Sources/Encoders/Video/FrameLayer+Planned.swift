package import Media
package import Plan

extension FrameLayer {
    /// Places a frame as planned.
    ///
    /// - Parameters:
    ///   - frame: The frame, or `nil` for a slate. A frame of another size than planned, as after a change of its
    ///     camera, is cropped at the same place.
    ///   - place: The planned layer.
    ///   - plannedSize: Size of the frame to which the plan's crop refers, in pixels.
    ///   - caption: Caption of the slate.
    ///   - isCoarse: Whether a JPEG may be decoded at half the size of its place, even if the plan does not say so.
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
