internal import Media

/// Where a frame goes in a window, whole and in its own shape, as SDL wants it: the frame is mirrored first, then turned about the
/// middle of its rectangle.
struct PreviewFit: Equatable {
    /// The rectangle of the frame before it is turned, in pixels of the window; parts of it may lie outside.
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    /// Clockwise degrees.
    let degrees: Int
    let isMirrored: Bool

    /// Fits a frame into a window.
    ///
    /// - Parameters:
    ///   - frame: Width × height of the stored frame.
    ///   - rotation: The clockwise rotation after which it is upright.
    ///   - isMirrored: Whether left and right are exchanged after the rotation.
    ///   - window: Width × height of the window in pixels.
    init(_ frame: FrameSize, rotation: Rotation, isMirrored: Bool, in window: FrameSize) {
        let upright = rotation.swapsSides ? frame.turned : frame
        let (across, down) = (Int64(window.width), Int64(window.height))
        // The greatest size of the frame's shape that the window holds.
        let isWider = Int64(upright.width) * down > Int64(upright.height) * across
        let (columns, rows) =
            isWider
            ? (across, max(Int64(upright.height).rescaled(from: Int64(upright.width), to: across), 1))
            : (max(Int64(upright.width).rescaled(from: Int64(upright.height), to: down), 1), down)
        let (stored, other) = rotation.swapsSides ? (rows, columns) : (columns, rows)
        (width, height) = (Int(stored), Int(other))
        // Both rectangles have the same middle.
        (x, y) = (Int((across - stored) / 2), Int((down - other) / 2))
        // To mirror what was turned is to turn the other way what was mirrored.
        degrees = isMirrored ? (360 - rotation.degrees) % 360 : rotation.degrees
        self.isMirrored = isMirrored
    }
}
