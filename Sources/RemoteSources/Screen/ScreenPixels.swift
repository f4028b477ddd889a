internal import Media

/// What a screen shows, as rows of B, G, R and an unused byte for each pixel. Valid until the next look.
struct ScreenPixels {
    /// The first pixel.
    let start: UnsafeMutablePointer<UInt8>
    /// Bytes from one row to the next.
    let stride: Int
    /// Columns and rows.
    let size: FrameSize
}
