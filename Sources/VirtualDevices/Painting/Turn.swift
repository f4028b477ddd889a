import Media

/// Converts between an upright frame and the stored frame of a camera that is mounted rotated.
///
/// `rotation` turns the stored frame clockwise to be seen upright; the stored frame is the upright one turned as much
/// counter-clockwise.
struct Turn: Sendable, Equatable {
    let stored: FrameSize
    let rotation: Rotation

    var upright: FrameSize { rotation.swapsSides ? stored.turned : stored }

    /// The rectangle of the stored frame that shows a rectangle of the upright frame.
    func stored(_ area: PixelRectangle) -> PixelRectangle {
        let (right, bottom) = (upright.width - area.x - area.width, upright.height - area.y - area.height)
        switch rotation {
        case .none: return area
        case .quarter: return PixelRectangle(x: area.y, y: right, width: area.height, height: area.width)
        case .half: return PixelRectangle(x: right, y: bottom, width: area.width, height: area.height)
        case .threeQuarters:
            return PixelRectangle(x: bottom, y: area.x, width: area.height, height: area.width)
        }
    }
}
