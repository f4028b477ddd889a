/// How the bytes of a frame are to be read.
public enum PixelFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// A complete JPEG file per frame.
    case mjpeg
    /// One H.264 access unit per frame, Annex B byte stream.
    case h264
    /// Packed 4:2:2, one plane: Y0 Cb Y1 Cr.
    case yuyv
    /// Packed 4:2:2, one plane: Cb Y0 Cr Y1.
    case uyvy
    /// 4:2:0, two planes: Y; Cb and Cr interleaved at half width and height.
    case nv12
    /// 4:2:0, three planes: Y; Cb; Cr at half width and height.
    case i420
    /// 4:2:2, three planes: Y; Cb; Cr at half width.
    case i422
    /// Packed, one plane: blue, green, red, alpha.
    case bgra
    /// One plane of luma: from infrared cameras and others without colour.
    case grey
    /// A raw format of an old webcam that libv4lconvert turns into I420 before the frame leaves the device.
    case converted

    /// Whether a frame has to be decoded before its pixels can be read: MJPEG and H.264.
    public var isCompressed: Bool { self == .mjpeg || self == .h264 }
}
