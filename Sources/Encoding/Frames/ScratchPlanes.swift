import Media

/// Reusable memory for an intermediate frame: each request invalidates the planes of the one before.
struct ScratchPlanes {
    private var memory = SharedBytes(count: 0)

    /// Provides planes with undefined contents.
    ///
    /// - Parameters:
    ///   - size: Width × height of the luma plane in pixels.
    ///   - horizontalShift: Binary logarithm of the horizontal chroma subsampling.
    ///   - verticalShift: Binary logarithm of the vertical chroma subsampling.
    /// - Returns: Planes with strides that are multiples of 64 bytes, valid until the next call and as long as this
    ///   value lives.
    mutating func planes(_ size: FrameSize, _ horizontalShift: Int, _ verticalShift: Int) -> Planes {
        let chroma = Planes.chromaSize(of: size, horizontalShift, verticalShift)
        // Rows begin at cache lines.
        let (yStride, stride) = ((size.width + 63) & ~63, (chroma.width + 63) & ~63)
        let (luma, color) = (yStride * size.height, stride * chroma.height)
        if memory.count < luma + 2 * color { memory = SharedBytes(count: luma + 2 * color) }
        let start = memory.start.assumingMemoryBound(to: UInt8.self)
        return Planes(
            y: start, u: start + luma, v: start + luma + color, yStride: yStride, uStride: stride,
            vStride: stride,
            size: size, horizontalShift: horizontalShift, verticalShift: verticalShift)
    }
}
