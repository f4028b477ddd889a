internal import CMedia
import Media

/// What libyuv does with planes.
extension Planes {
    /// Scales into planes of another size or sampling; the same size is copied.
    ///
    /// - Parameters:
    ///   - target: Must not overlap these planes.
    ///   - isGrey: There are no colour samples here; the target gets the code for none.
    func scale(into target: Planes, isGrey: Bool = false) {
        Self.scale(y, yStride, size, into: target.y, target.yStride, target.size)
        if isGrey { return target.fillChroma() }
        scaleChroma(into: target)
    }

    func scaleChroma(into target: Planes) {
        Self.scale(u, uStride, chromaSize, into: target.u, target.uStride, target.chromaSize)
        Self.scale(v, vStride, chromaSize, into: target.v, target.vStride, target.chromaSize)
    }

    func fillChroma() {
        let chroma = chromaSize
        SetPlane(u, Int32(uStride), Int32(chroma.width), Int32(chroma.height), 128)
        SetPlane(v, Int32(vStride), Int32(chroma.width), Int32(chroma.height), 128)
    }

    private static func scale(
        _ source: UnsafeMutablePointer<UInt8>, _ stride: Int, _ size: PictureSize,
        into target: UnsafeMutablePointer<UInt8>, _ targetStride: Int, _ targetSize: PictureSize
    ) {
        // 4:2:2 to 4:2:0 halves the rows alone: the two-row average is all that is needed and the quickest.
        let isHalvingRows = size.width == targetSize.width && size.height <= targetSize.height * 2
        let isEnlarging = targetSize.width > size.width || targetSize.height > size.height
        ScalePlane(
            source, Int32(stride), Int32(size.width), Int32(size.height), target, Int32(targetStride),
            Int32(targetSize.width), Int32(targetSize.height),
            isHalvingRows || isEnlarging ? kFilterBilinear : kFilterBox)
    }

    /// Turns 4:2:0 planes clockwise; the target's size is this one turned.
    func turn(_ rotation: Rotation, into target: Planes) {
        I420Rotate(
            y, Int32(yStride), u, Int32(uStride), v, Int32(vStride), target.y, Int32(target.yStride),
            target.u,
            Int32(target.uStride), target.v, Int32(target.vStride), Int32(size.width), Int32(size.height),
            RotationMode(UInt32(rotation.degrees)))
    }

    /// Swaps left and right of 4:2:0 planes.
    func mirror(into target: Planes) {
        I420Mirror(
            y, Int32(yStride), u, Int32(uStride), v, Int32(vStride), target.y, Int32(target.yStride),
            target.u,
            Int32(target.uStride), target.v, Int32(target.vStride), Int32(size.width), Int32(size.height))
    }

    /// Paints a frame of even width along the inside of the edges.
    func frame(width: Int, _ color: YCbCr) {
        surround(
            PixelRectangle(
                x: width, y: width, width: size.width - 2 * width, height: size.height - 2 * width), color)
    }

    /// Paints all that is outside an inner rectangle of even position and size.
    func surround(_ inner: PixelRectangle, _ color: YCbCr) {
        let (right, bottom) = (inner.x + inner.width, inner.y + inner.height)
        let strips = [
            PixelRectangle(x: 0, y: 0, width: size.width, height: inner.y),
            PixelRectangle(x: 0, y: bottom, width: size.width, height: size.height - bottom),
            PixelRectangle(x: 0, y: inner.y, width: inner.x, height: inner.height),
            PixelRectangle(x: right, y: inner.y, width: size.width - right, height: inner.height),
        ]
        for strip in strips where strip.width > 0 && strip.height > 0 { part(strip).fill(color) }
    }
}
