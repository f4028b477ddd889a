internal import CMedia

/// Resolution of the Cb and Cr planes relative to luma.
public enum ChromaSampling: Sendable {
    /// Half width and half height.
    case c420
    /// Half width, full height.
    case c422
    /// Full width and full height.
    case c444

    var turboJPEG: Int32 {
        switch self {
        case .c420: Int32(TJSAMP_420.rawValue)
        case .c422: Int32(TJSAMP_422.rawValue)
        case .c444: Int32(TJSAMP_444.rawValue)
        }
    }
}
