internal import CMedia
import Media

/// Converts between this project's color descriptions and libavcodec's (ITU-T H.273 code points).
extension ColorDescription {
    /// Tags a stream that is about to be encoded.
    func describe(_ context: UnsafeMutablePointer<AVCodecContext>) {
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

    /// Reads the tags of a decoded stream. An untagged stream counts as limited range, and as BT.709 from 720 lines up,
    /// as players assume.
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

    /// The matrix coefficients as swscale wants them.
    var swscaleCoefficients: UnsafePointer<Int32>? {
        sws_getCoefficients(matrix == .bt709 ? SWS_CS_ITU709 : SWS_CS_ITU601)
    }
}
