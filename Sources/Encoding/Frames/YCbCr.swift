internal import CMedia
import Media

/// One colour as 8-bit Y, Cb and Cr codes of a given matrix and range.
struct YCbCr: Equatable {
    let y: UInt8
    let cb: UInt8
    let cr: UInt8

    /// Makes a shade of grey: 0 black, 1 white.
    static func grey(_ brightness: Double, in color: ColorDescription) -> Self {
        let code = color.range == .full ? 255 * brightness : 16 + 219 * brightness
        return Self(y: UInt8(rounding: code), cb: 128, cr: 128)
    }

    static func black(in color: ColorDescription) -> Self { grey(0, in: color) }
    static func white(in color: ColorDescription) -> Self { grey(1, in: color) }
}

extension Planes {
    /// Fills the planes with one colour.
    func fill(_ color: YCbCr) {
        let chroma = chromaSize
        SetPlane(y, Int32(yStride), Int32(size.width), Int32(size.height), UInt32(color.y))
        SetPlane(u, Int32(uStride), Int32(chroma.width), Int32(chroma.height), UInt32(color.cb))
        SetPlane(v, Int32(vStride), Int32(chroma.width), Int32(chroma.height), UInt32(color.cr))
    }
}
