public import Media

/// Opens cameras and microphones that are no hardware, by the selectors `virtual:…` and `file:…`.
public enum VirtualSources {
    static let filePrefix = "file:"

    /// Whether a selector is one of these; any other names hardware.
    public static func handles(_ selector: String) -> Bool {
        selector.hasPrefix(VirtualSelector.prefix) || selector.hasPrefix(filePrefix)
    }

    /// Opens a camera.
    ///
    /// - Parameters:
    ///   - selector: `virtual:…` or `file:…`.
    ///   - role: Random choices of a synthetic device depend on it.
    ///   - wanted: What the role asks; a selector's own keys come first, and a file is as it is.
    /// - Returns: The camera, not yet started.
    /// - Throws: `.usage` when the selector is wrong, `.device` when its file is missing or not what it should be.
    public static func camera(
        selector: String, role: String, wanted: VideoFormat? = nil
    ) throws(VirtualDeviceError) -> any CameraSource {
        if let path = try path(selector) { return try FileCamera(role: role, path: path) }
        return try VirtualCamera(
            role: role, settings: VirtualCameraSettings(selector: selector), wanted: wanted)
    }

    /// Opens a microphone, as `camera` does a camera.
    public static func microphone(
        selector: String, role: String
    ) throws(VirtualDeviceError) -> any MicrophoneSource {
        if let path = try path(selector) { return try FileMicrophone(role: role, path: path) }
        return VirtualMicrophone(role: role, settings: try VirtualMicrophoneSettings(selector: selector))
    }

    /// What a synthetic camera's selector itself says of its format: it delivers what it is asked for where that is `nil`.
    ///
    /// - Returns: `nil` for a file, which is as it is.
    /// - Throws: `.usage` only.
    public static func fixedFormat(
        of selector: String
    ) throws(VirtualDeviceError) -> (pixel: PixelFormat?, size: FrameSize?, rate: FrameRate?)? {
        guard try path(selector) == nil else { return nil }
        let settings = try VirtualCameraSettings(selector: selector)
        return (settings.pixel, settings.size, settings.rate)
    }

    /// Checks a selector's words without opening anything.
    ///
    /// - Throws: `.usage` only.
    public static func check(selector: String, mediaType: CaptureDevice.MediaType) throws(VirtualDeviceError)
    {
        if try path(selector) != nil { return }
        switch mediaType {
        case .video: _ = try VirtualCameraSettings(selector: selector)
        case .audio: _ = try VirtualMicrophoneSettings(selector: selector)
        }
    }

    /// The path of a file selector; `nil` for any other.
    private static func path(_ selector: String) throws(VirtualDeviceError) -> String? {
        guard selector.hasPrefix(filePrefix) else { return nil }
        let path = String(selector.dropFirst(filePrefix.count))
        guard !path.isEmpty else {
            throw .usage(selector: selector, explanation: "a file is written `file:<path>`.")
        }
        return path
    }

    /// The last part of a path.
    static func fileName(_ path: String) -> String {
        (path.split(separator: "/").last.map(String.init) ?? path).printable()
    }
}
