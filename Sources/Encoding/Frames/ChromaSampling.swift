internal import CMedia

/// How many Cb and Cr samples a frame has for its pixels.
public enum ChromaSampling: Sendable {
    /// Half width and half height.
    case c420
    /// Half width.
    case c422
    /// As many as pixels.
    case c444

    var turboJPEG: Int32 {
        switch self {
        case .c420: Int32(TJSAMP_420.rawValue)
        case .c422: Int32(TJSAMP_422.rawValue)
        case .c444: Int32(TJSAMP_444.rawValue)
        }
    }
}
