internal import Media

/// Where a screen lies in the frames of its track: as large as it fits, in the middle, in its own shape.
enum ScreenFit {
    /// The least width and height of what is recorded, in pixels.
    static let leastSide = 16

    /// - Parameters:
    ///   - size: What the screen has now.
    ///   - frame: The size of the frames.
    /// - Returns: The screen's place; what lies around it is black.
    static func place(of size: FrameSize, in frame: FrameSize) -> PixelRectangle {
        // A window of an odd size lacks its last column or row, in place of being scaled by a pixel.
        if even(size) == frame { return PixelRectangle(x: 0, y: 0, width: frame.width, height: frame.height) }
        let isWide = size.width * frame.height >= frame.width * size.height
        let width = isWide ? frame.width : max(frame.height * size.width / max(size.height, 1), 1)
        let height = isWide ? max(frame.width * size.height / max(size.width, 1), 1) : frame.height
        return PixelRectangle(
            x: (frame.width - width) / 2, y: (frame.height - height) / 2, width: width, height: height)
    }

    /// The size with even sides, at least 2: half the colours fit it.
    static func even(_ size: FrameSize) -> FrameSize {
        FrameSize(width: max(size.width / 2 * 2, 2), height: max(size.height / 2 * 2, 2))
    }

    /// The sizes in which a screen may be recorded, from its own down: where one costs too much, the next one is taken.
    static func sizes(of size: FrameSize) -> [FrameSize] {
        [(1, 1), (3, 4), (1, 2), (3, 8), (1, 4)].map { (share: Int, of: Int) in
            even(FrameSize(width: size.width * share / of, height: size.height * share / of))
        }
    }
}
