internal import MulticamMedia

/// A screen, a window, or a part of a screen that can be captured. Use this type only on the thread that creates it.
protocol Screen: AnyObject {
    /// Captures the screen. The call usually blocks for a few milliseconds, and for a few seconds at most.
    ///
    /// - Parameter isForced: Whether to fetch the pixels even if nothing has changed.
    /// - Returns: The capture time, and whether the screen has changed since the last call.
    /// - Throws: `SourceError` if there is nothing to capture: the display is gone, or the window is closed.
    func capture(isForced: Bool) throws(SourceError) -> ScreenCapture

    /// Pixels of the last capture.
    var pixels: ScreenPixels { get }

    /// Waits until the next capture is due.
    ///
    /// - Parameters:
    ///   - due: Time of the next capture.
    ///   - cancellation: Cancels the wait.
    /// - Returns: Whether the wait was canceled.
    /// - Throws: `SourceError` if there is nothing left to capture.
    func wait(until due: ClockTime, unless cancellation: Cancellation) throws(SourceError) -> Bool
}

/// Result of a screen capture.
struct ScreenCapture {
    /// Time when this content was on the screen.
    let time: ClockTime
    /// Maximum error of `time`.
    let error: Nanoseconds
    /// Whether the content may differ from the previous capture.
    let hasChanged: Bool
}

/// Pixels of a screen as rows of B, G, R, and an unused byte for each pixel. The pixels are valid until the next
/// capture.
struct ScreenPixels {
    /// The first pixel.
    let start: UnsafeMutablePointer<UInt8>
    /// Number of bytes from one row to the next.
    let stride: Int
    /// Width and height in pixels.
    let size: FrameSize
}

/// Position of a screen in the frames of its track: centered, as large as possible, with its aspect ratio preserved.
enum ScreenFit {
    /// Minimum width and height of a recorded area, in pixels.
    static let leastSide = 16

    /// Returns the position of a screen in a frame.
    ///
    /// - Parameters:
    ///   - size: Current size of the screen.
    ///   - frame: Size of the frames.
    /// - Returns: The rectangle of the screen in the frame. The area around the rectangle is black.
    static func place(of size: FrameSize, in frame: FrameSize) -> PixelRectangle {
        // A window with an odd size loses its last column or row instead of being scaled by one pixel.
        if even(size) == frame { return PixelRectangle(x: 0, y: 0, width: frame.width, height: frame.height) }
        let isWide = size.width * frame.height >= frame.width * size.height
        let width = isWide ? frame.width : max(frame.height * size.width / max(size.height, 1), 1)
        let height = isWide ? max(frame.width * size.height / max(size.width, 1), 1) : frame.height
        return PixelRectangle(
            x: (frame.width - width) / 2, y: (frame.height - height) / 2, width: width, height: height)
    }

    /// Rounds both dimensions down to even numbers of at least 2 pixels, as required by chroma subsampling.
    static func even(_ size: FrameSize) -> FrameSize {
        FrameSize(width: max(size.width / 2 * 2, 2), height: max(size.height / 2 * 2, 2))
    }

    /// Returns the possible recording sizes of a screen, starting with the screen's own size. If encoding
    /// frames of one size takes too long, the next smaller size is used.
    static func sizes(of size: FrameSize) -> [FrameSize] {
        [(1, 1), (3, 4), (1, 2), (3, 8), (1, 4)].map { (share: Int, of: Int) in
            even(FrameSize(width: size.width * share / of, height: size.height * share / of))
        }
    }
}
