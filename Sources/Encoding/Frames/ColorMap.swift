internal import CMedia
import Media

/// Converts Y, Cb and Cr codes of one color description to those of another, in fixed point.
struct ColorMap {
    private let map: media_color_map

    /// Computes the conversion; `nil` when both descriptions are equal.
    init?(from source: ColorDescription, to target: ColorDescription) {
        guard source != target else { return nil }
        // Codes are (code − zero) / span: ITU-R BT.601 and BT.709 section 3 for limited, T.871 for full range.
        let (lumaZero, lumaSpan, chromaSpan) = Self.codes(source.range)
        let (targetZero, targetLumaSpan, targetChromaSpan) = Self.codes(target.range)
        let (red, blue) = Self.weights(source.matrix)
        let (targetRed, targetBlue) = Self.weights(target.matrix)
        let (green, targetGreen) = (1 - red - blue, 1 - targetRed - targetBlue)
        // What one unit of Cb or Cr adds to R, G and B.
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
