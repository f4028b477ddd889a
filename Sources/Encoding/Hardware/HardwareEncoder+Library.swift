internal import CMedia
public import Media

extension HardwareEncoder {
    /// Whether this libavcodec was built with the encoder of this name; whether a device is there remains open.
    ///
    /// - Parameter name: libavcodec's name of the encoder, such as `h264_nvenc`.
    /// - Returns: Whether the encoder is part of the library.
    public static func isInLibrary(_ name: String) -> Bool { avcodec_find_encoder_by_name(name) != nil }

    /// Version of the library that drives the hardware, such as `libavcodec 59.37.100`.
    public static var libraryVersion: String {
        let version = avcodec_version()
        return "libavcodec \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }
}
