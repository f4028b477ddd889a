internal import CMulticamMedia
import MulticamMedia

/// A color as 8-bit Y, Cb, and Cr values. Their meaning depends on the frame's color matrix and range.
struct YCbCr: Equatable {
    let y: UInt8
    let cb: UInt8
    let cr: UInt8

    /// Creates a shade of gray: 0 is black, 1 is white.
    static func grey(_ brightness: Double, in color: ColorDescription) -> Self {
        let code = color.range == .full ? 255 * brightness : 16 + 219 * brightness
        return Self(y: UInt8(rounding: code), cb: 128, cr: 128)
    }

    static func black(in color: ColorDescription) -> Self { grey(0, in: color) }
    static func white(in color: ColorDescription) -> Self { grey(1, in: color) }
}

extension Planes {
    /// Fills the planes with one color.
    func fill(_ color: YCbCr) {
        let chroma = chromaSize
        SetPlane(y, Int32(yStride), Int32(size.width), Int32(size.height), UInt32(color.y))
        SetPlane(u, Int32(uStride), Int32(chroma.width), Int32(chroma.height), UInt32(color.cb))
        SetPlane(v, Int32(vStride), Int32(chroma.width), Int32(chroma.height), UInt32(color.cr))
    }
}

/// Converts Y, Cb, and Cr values from one color description to another, using fixed-point arithmetic.
struct ColorMap {
    private let map: media_color_map

    /// Computes the conversion; `nil` if both color descriptions are equal.
    init?(from source: ColorDescription, to target: ColorDescription) {
        guard source != target else { return nil }
        // A normalized color component is (code − zero) / span, according to ITU-R BT.601 and BT.709 section
        // 3 for limited range, and T.871 for full range.
        let (lumaZero, lumaSpan, chromaSpan) = Self.codes(source.range)
        let (targetZero, targetLumaSpan, targetChromaSpan) = Self.codes(target.range)
        let (red, blue) = Self.weights(source.matrix)
        let (targetRed, targetBlue) = Self.weights(target.matrix)
        let (green, targetGreen) = (1 - red - blue, 1 - targetRed - targetBlue)
        // Contribution of one unit of Cb or Cr to R, G, and B.
        let ofCb = (r: 0.0, g: -2 * (1 - blue) * blue / green, b: 2 * (1 - blue))
        let ofCr = (r: 2 * (1 - red), g: -2 * (1 - red) * red / green, b: 0.0)
        func luma(_ part: (r: Double, g: Double, b: Double)) -> Double {
            targetRed * part.r + targetGreen * part.g + targetBlue * part.b
        }
        func cb(_ part: (r: Double, g: Double, b: Double)) -> Double {
            (part.b - luma(part)) / (2 * (1 - targetBlue))
        }
        func cr(_ part: (r: Double, g: Double, b: Double)) -> Double {
            (part.r - luma(part)) / (2 * (1 - targetRed))
        }
        let lumaScale = targetLumaSpan / lumaSpan
        let lumaOfChroma = targetLumaSpan / chromaSpan
        let chromaScale = targetChromaSpan / chromaSpan
        map = media_color_map(
            luma: Self.factor(lumaScale), luma_cb: Self.factor(luma(ofCb) * lumaOfChroma),
            luma_cr: Self.factor(luma(ofCr) * lumaOfChroma),
            luma_offset: Int16(rounding: (targetZero - lumaZero * lumaScale) * 32),
            cb_cb: Self.factor(cb(ofCb) * chromaScale), cb_cr: Self.factor(cb(ofCr) * chromaScale),
            cr_cb: Self.factor(cr(ofCb) * chromaScale), cr_cr: Self.factor(cr(ofCr) * chromaScale))
    }

    /// Converts a 4:2:0 or 4:2:2 frame in place.
    func convert(_ planes: Planes) {
        precondition(planes.horizontalShift == 1 && planes.verticalShift <= 1, "4:2:0 or 4:2:2")
        withUnsafePointer(to: map) {
            media_convert_color(
                planes.y, planes.yStride, planes.u, planes.uStride, planes.v, planes.vStride,
                Int32(planes.size.width),
                Int32(planes.size.height), Int32(planes.verticalShift), $0)
        }
    }

    private static func factor(_ value: Double) -> Int16 { Int16(rounding: value * 16384) }

    private static func codes(_ range: ColorDescription.Range) -> (zero: Double, luma: Double, chroma: Double)
    {
        range == .full ? (0, 255, 255) : (16, 219, 224)
    }

    private static func weights(_ matrix: ColorDescription.Matrix) -> (red: Double, blue: Double) {
        matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
    }
}

/// Conversion between this project's color descriptions and libavcodec's (ITU-T H.273 code points).
extension ColorDescription {
    /// Writes the color description to a codec context before encoding starts.
    func apply(to context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.color_range = range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        switch matrix {
        case .bt601:
            context.pointee.color_primaries = AVCOL_PRI_SMPTE170M
            context.pointee.color_trc = AVCOL_TRC_SMPTE170M
            context.pointee.colorspace = AVCOL_SPC_SMPTE170M
        case .bt709:
            context.pointee.color_primaries = AVCOL_PRI_BT709
            context.pointee.color_trc = AVCOL_TRC_BT709
            context.pointee.colorspace = AVCOL_SPC_BT709
        }
    }

    /// Derives the color description from the color tags of a decoded stream. As in players, an untagged
    /// stream is treated as limited range, and as BT.709 if the frame height is at least 720 pixels.
    init(matrix: AVColorSpace, range: AVColorRange, pixel: AVPixelFormat, height: Int) {
        let isFullByFormat = media_is_full_range(pixel.rawValue) != 0
        let isFull = range == AVCOL_RANGE_JPEG || (range == AVCOL_RANGE_UNSPECIFIED && isFullByFormat)
        let ownMatrix: Matrix =
            switch matrix {
            case AVCOL_SPC_BT709: .bt709
            case AVCOL_SPC_SMPTE170M, AVCOL_SPC_BT470BG, AVCOL_SPC_FCC: .bt601
            default: height >= 720 && !isFullByFormat ? .bt709 : .bt601
            }
        self.init(matrix: ownMatrix, range: isFull ? .full : .limited)
    }

    /// Matrix coefficients in swscale's format.
    var swscaleCoefficients: UnsafePointer<Int32>? {
        sws_getCoefficients(matrix == .bt709 ? SWS_CS_ITU709 : SWS_CS_ITU601)
    }
}
