public import Media

/// Opens synthetic and file-backed cameras and microphones by the selectors `virtual:…` and `file:…`.
public enum VirtualSources {
    static let filePrefix = "file:"

    /// Whether a selector begins with `virtual:` or `file:`; any other selector names hardware.
    public static func handles(_ selector: String) -> Bool {
        selector.hasPrefix(VirtualSelector.prefix) || selector.hasPrefix(filePrefix)
    }

    /// Opens a camera.
    ///
    /// - Parameters:
    ///   - selector: `virtual:…` or `file:…`.
    ///   - role: The role in the profile; random choices of a synthetic device depend on it.
    ///   - wanted: The format that the role asks for; a selector's own keys take precedence, and a file keeps its
    ///     format.
    /// - Returns: The camera, not yet started.
    /// - Throws: `VirtualDeviceError.usage` when the selector is wrong, `.device` when its file is missing or unusable.
    public static func camera(
        selector: String, role: String, wanted: VideoFormat? = nil
    ) throws(VirtualDeviceError) -> any CameraSource {
        if let path = try path(selector) { return try FileCamera(role: role, path: path) }
        return try VirtualCamera(
            role: role, settings: VirtualCameraSettings(selector: selector), wanted: wanted)
    }

    /// Opens a microphone.
    ///
    /// - Parameters:
    ///   - selector: `virtual:…` or `file:…`.
    ///   - role: The role in the profile; random choices of a synthetic device depend on it.
    /// - Returns: The microphone, not yet started.
    /// - Throws: `VirtualDeviceError.usage` when the selector is wrong, `.device` when its file is missing or unusable.
    public static func microphone(
        selector: String, role: String
    ) throws(VirtualDeviceError) -> any MicrophoneSource {
        if let path = try path(selector) { return try FileMicrophone(role: role, path: path) }
        return VirtualMicrophone(role: role, settings: try VirtualMicrophoneSettings(selector: selector))
    }

    /// Returns the parts of the format that a synthetic camera's selector fixes; parts that are `nil` follow the role.
    ///
    /// - Returns: `nil` for a file, which keeps its own format.
    /// - Throws: `VirtualDeviceError.usage` when the selector is wrong.
    public static func fixedFormat(
        of selector: String
    ) throws(VirtualDeviceError) -> (pixel: PixelFormat?, size: FrameSize?, rate: FrameRate?)? {
        guard try path(selector) == nil else { return nil }
        let settings = try VirtualCameraSettings(selector: selector)
        return (settings.pixel, settings.size, settings.rate)
    }

    /// Checks a selector's syntax without opening anything.
    ///
    /// - Parameters:
    ///   - selector: `virtual:…` or `file:…`.
    ///   - mediaType: Whether a camera or a microphone is meant.
    /// - Throws: `VirtualDeviceError.usage` when the selector is wrong.
    public static func check(selector: String, mediaType: CaptureDevice.MediaType) throws(VirtualDeviceError)
    {
        if try path(selector) != nil { return }
        switch mediaType {
        case .video: _ = try VirtualCameraSettings(selector: selector)
        case .audio: _ = try VirtualMicrophoneSettings(selector: selector)
        }
    }

    /// The path of a `file:` selector; `nil` for any other selector.
    private static func path(_ selector: String) throws(VirtualDeviceError) -> String? {
        guard selector.hasPrefix(filePrefix) else { return nil }
        let path = String(selector.dropFirst(filePrefix.count))
        guard !path.isEmpty else {
            throw .usage(selector: selector, explanation: "a file is written `file:<path>`.")
        }
        return path
    }

    /// The last component of a path, made printable.
    static func fileName(_ path: String) -> String {
        (path.split(separator: "/").last.map(String.init) ?? path).printable()
    }
}
