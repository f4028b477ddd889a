import Media

/// Pointers to the Y, Cb and Cr samples of a frame, or of a part of one, one byte per sample. It owns nothing: the
/// maker must keep the memory alive.
struct Planes {
    let y: UnsafeMutablePointer<UInt8>
    let u: UnsafeMutablePointer<UInt8>
    let v: UnsafeMutablePointer<UInt8>
    let yStride: Int
    let uStride: Int
    let vStride: Int
    /// Width × height of the luma plane in pixels.
    let size: FrameSize
    /// Binary logarithm of the horizontal chroma subsampling: shifts of 1 and 1 are 4:2:0, 1 and 0 are 4:2:2.
    let horizontalShift: Int
    /// Binary logarithm of the vertical chroma subsampling.
    let verticalShift: Int

    /// Width × height of the chroma planes, odd sides rounded up.
    var chromaSize: FrameSize { Self.chromaSize(of: size, horizontalShift, verticalShift) }
    var is420: Bool { horizontalShift == 1 && verticalShift == 1 }

    static func chromaSize(of size: FrameSize, _ horizontalShift: Int, _ verticalShift: Int) -> FrameSize {
        FrameSize(
            width: (size.width + (1 << horizontalShift) - 1) >> horizontalShift,
            height: (size.height + (1 << verticalShift) - 1) >> verticalShift)
    }

    /// The planes of a part. Where it begins between two chroma samples, its chroma begins with the one before.
    func part(_ rectangle: PixelRectangle) -> Planes {
        precondition(
            rectangle.x >= 0 && rectangle.y >= 0 && rectangle.x + rectangle.width <= size.width
                && rectangle.y + rectangle.height <= size.height, "a part lies inside its frame")
        let (left, top) = (rectangle.x >> horizontalShift, rectangle.y >> verticalShift)
        return Planes(
            y: y + rectangle.y * yStride + rectangle.x, u: u + top * uStride + left,
            v: v + top * vStride + left,
            yStride: yStride, uStride: uStride, vStride: vStride, size: rectangle.size,
            horizontalShift: horizontalShift, verticalShift: verticalShift)
    }
}

extension Planes {
    /// Views a packed I420 frame.
    init(i420 memory: SharedBytes, size: FrameSize) {
        let (planes, byteCount) = FramePlane.packed(.i420, size)
        precondition(memory.count >= byteCount, "the memory holds the frame")
        let start = memory.start.assumingMemoryBound(to: UInt8.self)
        self.init(
            y: start, u: start + planes[1].offset, v: start + planes[2].offset, yStride: planes[0].stride,
            uStride: planes[1].stride, vStride: planes[2].stride, size: size, horizontalShift: 1,
            verticalShift: 1)
    }
}
