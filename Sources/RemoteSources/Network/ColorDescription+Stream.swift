internal import CMedia
internal import Media

extension ColorDescription {
    /// The colours that a stream says it has; of one that says nothing those that players assume.
    init(of parameters: UnsafeMutablePointer<AVCodecParameters>) {
        let isFull =
            parameters.pointee.color_range == AVCOL_RANGE_JPEG
            || media_is_full_range(parameters.pointee.format) != 0
        let matrix: Matrix =
            switch parameters.pointee.color_space {
            case AVCOL_SPC_BT709: .bt709
            case AVCOL_SPC_SMPTE170M, AVCOL_SPC_BT470BG, AVCOL_SPC_FCC: .bt601
            default: parameters.pointee.height >= 720 ? .bt709 : .bt601
            }
        self.init(matrix: matrix, range: isFull ? .full : .limited)
    }
}
