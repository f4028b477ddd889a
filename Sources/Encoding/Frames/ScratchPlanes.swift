import Media

/// Memory for a frame on its way, kept from one to the next: asking again invalidates what was given before.
struct ScratchPlanes {
    private var memory = SharedBytes(count: 0)

    /// - Parameters:
    ///   - size: In pixels, of the luma plane.
    ///   - horizontalShift: As in `Planes`.
    ///   - verticalShift: As in `Planes`.
    /// - Returns: Planes whose contents are undefined, with strides of whole cache lines. Valid until the
    ///   next call and as long as this lives.
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
