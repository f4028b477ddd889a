package import Media
package import Plan

extension PictureLayer {
    /// A picture at its planned place.
    ///
    /// - Parameters:
    ///   - picture: `nil` for a slate. One that has not the size of the plan, as its camera was changed, is cropped at the same
    ///     place.
    ///   - place: Where it goes.
    ///   - plannedSize: Of the picture that the plan's crop is a part of.
    ///   - caption: Of a slate.
    ///   - isCoarse: Whether half of the place's size is enough to decode at, though the plan does not say so.
    package init(
        picture: CapturedPicture?, _ place: PlannedLayer, plannedSize: PictureSize, caption: SlateCaption,
        isCoarse: Bool
    ) {
        self.init(
            picture: picture, rectangle: place.rectangle, filling: place.filling, rotation: place.rotation,
            isMirrored: place.isMirrored,
            crop: place.crop?.scaled(from: plannedSize, to: picture?.size ?? plannedSize),
            border: place.border, caption: caption, isCoarse: isCoarse || place.isCoarse)
    }
}
