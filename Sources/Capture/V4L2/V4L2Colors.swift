internal import CLinux
import Media

/// Interprets the colour fields of `v4l2_pix_format`.
enum V4L2Colors {
    /// The color description of YCbCr frames, with the defaults of `V4L2_MAP_YCBCR_ENC_DEFAULT` and
    /// `V4L2_MAP_QUANTIZATION_DEFAULT`.
    static func description(colorspace: UInt32, encoding: UInt32, quantization: UInt32) -> ColorDescription {
        let matrix: ColorDescription.Matrix =
            switch encoding {
            case V4L2_YCBCR_ENC_DEFAULT.rawValue:
                colorspace == V4L2_COLORSPACE_REC709.rawValue || colorspace == V4L2_COLORSPACE_DCI_P3.rawValue
                    || isNearestTo709(colorspace: colorspace) ? .bt709 : .bt601
            case V4L2_YCBCR_ENC_709.rawValue, V4L2_YCBCR_ENC_XV709.rawValue,
                // `ColorDescription` has no case for these; of its two matrices BT.709 is nearer.
                V4L2_YCBCR_ENC_BT2020.rawValue, V4L2_YCBCR_ENC_BT2020_CONST_LUM.rawValue,
                V4L2_YCBCR_ENC_SMPTE240M.rawValue:
                .bt709
            default: .bt601
            }
        let range: ColorDescription.Range =
            switch quantization {
            case V4L2_QUANTIZATION_FULL_RANGE.rawValue: .full
            case V4L2_QUANTIZATION_LIM_RANGE.rawValue: .limited
            default: colorspace == V4L2_COLORSPACE_JPEG.rawValue ? .full : .limited
            }
        return ColorDescription(matrix: matrix, range: range)
    }

    private static func isNearestTo709(colorspace: UInt32) -> Bool {
        colorspace == V4L2_COLORSPACE_BT2020.rawValue || colorspace == V4L2_COLORSPACE_SMPTE240M.rawValue
    }
}
