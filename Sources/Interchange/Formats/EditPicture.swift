internal import Media
internal import Plan

/// What of a file's upright frame is seen, and where it stands in the edited picture.
///
/// Players apply the rotation that a file states, so all here is about the frame as they show it.
struct EditPicture: Equatable {
    /// Size in pixels of the whole frame as players show it.
    let frame: FrameSize
    /// The part of that frame that is seen, in its pixels.
    let source: PixelRectangle
    /// The place in the edited picture, in its pixels.
    let target: PixelRectangle
    /// The clockwise rotation that is applied besides the one that the file states.
    let rotation: Rotation
    /// Whether left and right are exchanged after the rotation.
    let isMirrored: Bool
    /// Width in pixels of a white frame inside the place.
    let border: Int

    /// Places a layer; `nil` where nothing of it is seen.
    init?(_ layer: PlannedLayer, of track: SessionTrack, stored: FrameSize) {
        guard
            let placement = Placement(
                of: stored, crop: layer.crop, rotation: layer.rotation, filling: layer.filling,
                into: layer.rectangle)
        else { return nil }
        frame = track.rotation.swapsSides ? stored.turned : stored
        source = placement.source.turned(by: track.rotation, in: stored)
        target = placement.target
        rotation = layer.rotation - track.rotation
        isMirrored = layer.isMirrored
        border = layer.border
    }

    /// Pixels of the frame that are cut off at its left, upper, right and lower edge.
    var cut: (left: Int, top: Int, right: Int, bottom: Int) {
        (
            source.x, source.y, frame.width - source.x - source.width,
            frame.height - source.y - source.height
        )
    }

    /// Whether all of the frame is seen, over the whole of a picture, as it is.
    func isPlain(in size: FrameSize) -> Bool {
        source.size == frame && target == PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
            && rotation == .none && !isMirrored
    }

    /// The transform of editors that first fit the whole frame into the picture, then scale, turn and move its middle.
    ///
    /// - Parameter size: Size of the edited picture in pixels.
    /// - Returns: Factors across and down (across negative where mirrored), and the way of the middle in pixels to the right and
    ///   down.
    func transform(in size: FrameSize) -> (scale: (x: Double, y: Double), offset: (x: Double, y: Double)) {
        let fit = min(
            Double(size.width) / Double(frame.width), Double(size.height) / Double(frame.height))
        let place = rotation.swapsSides ? target.size.turned : target.size
        let scale = (
            x: Double(place.width) / Double(source.width) / fit,
            y: Double(place.height) / Double(source.height) / fit
        )
        // The way from the frame's middle to the middle of what is seen, as it appears in the picture.
        let across = (Double(source.x) + Double(source.width) / 2 - Double(frame.width) / 2) * scale.x * fit
        let down = (Double(source.y) + Double(source.height) / 2 - Double(frame.height) / 2) * scale.y * fit
        var way: (x: Double, y: Double) =
            switch rotation {
            case .none: (across, down)
            case .quarter: (-down, across)
            case .half: (-across, -down)
            case .threeQuarters: (down, -across)
            }
        if isMirrored { way.x = -way.x }
        let middle = (
            x: Double(target.x) + Double(target.width) / 2 - Double(size.width) / 2,
            y: Double(target.y) + Double(target.height) / 2 - Double(size.height) / 2
        )
        return ((isMirrored ? -scale.x : scale.x, scale.y), (middle.x - way.x, middle.y - way.y))
    }
}

extension PixelRectangle {
    /// The same pixels after the frame was turned clockwise.
    fileprivate func turned(by rotation: Rotation, in frame: FrameSize) -> Self {
        switch rotation {
        case .none: self
        case .quarter: Self(x: frame.height - y - height, y: x, width: height, height: width)
        case .half:
            Self(x: frame.width - x - width, y: frame.height - y - height, width: width, height: height)
        case .threeQuarters: Self(x: y, y: frame.width - x - width, width: height, height: width)
        }
    }
}
