internal import CMedia
public import Media

extension HardwareEncoder {
    /// Whether this libavcodec was built with an encoder. It says nothing of a device.
    public static func isInLibrary(_ name: String) -> Bool { avcodec_find_encoder_by_name(name) != nil }

    /// `libavcodec 59.37.100`: what drives the device besides its own driver.
    public static var libraryVersion: String {
        let version = avcodec_version()
        return "libavcodec \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
    }
}
