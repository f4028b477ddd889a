package import MulticamMedia

/// Opens synthetic and file-backed cameras and microphones from `virtual:…` and `file:…` selectors.
package enum VirtualSources {
    static let filePrefix = "file:"

    /// Returns whether a selector begins with `virtual:` or `file:`. All other selectors name hardware.
    package static func handles(_ selector: String) -> Bool {
        selector.hasPrefix(VirtualSelector.prefix) || selector.hasPrefix(filePrefix)
    }

    /// Whether a selector names a file.
    package static func isFile(_ selector: String) -> Bool { selector.hasPrefix(filePrefix) }

    /// Opens a camera.
    ///
    /// - Parameters:
    ///   - selector: A selector that begins with `virtual:` or `file:`.
    ///   - role: The role in the profile, on which the random choices of a synthetic device depend.
    ///   - wanted: The format that the role requests. Keys in the selector take precedence, and a file keeps its
    ///     format.
    /// - Returns: The camera, not yet started.
    /// - Throws: `VirtualDeviceError.usage` if the selector is invalid, `.device` if its file is missing or unusable.
    package static func camera(
        selector: String, role: String, wanted: VideoFormat? = nil
    ) throws(VirtualDeviceError) -> any CameraSource {
        if let path = try path(selector) { return try FileCamera(role: role, path: path) }
        return try VirtualCamera(
            role: role, settings: VirtualCameraSettings(selector: selector), wanted: wanted)
    }

    /// Opens a microphone.
    ///
    /// - Parameters:
    ///   - selector: A selector that begins with `virtual:` or `file:`.
    ///   - role: The role in the profile, on which the random choices of a synthetic device depend.
    /// - Returns: The microphone, not yet started.
    /// - Throws: `VirtualDeviceError.usage` if the selector is invalid, `.device` if its file is missing or unusable.
    package static func microphone(
        selector: String, role: String
    ) throws(VirtualDeviceError) -> any MicrophoneSource {
        if let path = try path(selector) { return try FileMicrophone(role: role, path: path) }
        return VirtualMicrophone(role: role, settings: try VirtualMicrophoneSettings(selector: selector))
    }

    /// Returns the format properties that a synthetic camera's selector sets. Properties that are `nil` are determined
    /// by the role.
    ///
    /// - Returns: The properties, or `nil` for a file, which keeps its own format.
    /// - Throws: `VirtualDeviceError.usage` if the selector is invalid.
    package static func fixedFormat(
        of selector: String
    ) throws(VirtualDeviceError) -> (pixel: PixelFormat?, size: FrameSize?, rate: FrameRate?)? {
        guard try path(selector) == nil else { return nil }
        let settings = try VirtualCameraSettings(selector: selector)
        return (settings.pixel, settings.size, settings.rate)
    }

    /// Checks a selector's syntax without opening a device.
    ///
    /// - Parameters:
    ///   - selector: A selector that begins with `virtual:` or `file:`.
    ///   - mediaType: Whether the selector names a camera or a microphone.
    /// - Throws: `VirtualDeviceError.usage` if the selector is invalid.
    package static func check(selector: String, mediaType: CaptureDevice.MediaType) throws(VirtualDeviceError)
    {
        if try path(selector) != nil { return }
        switch mediaType {
        case .video: _ = try VirtualCameraSettings(selector: selector)
        case .audio: _ = try VirtualMicrophoneSettings(selector: selector)
        }
    }

    /// Returns the path of a `file:` selector; `nil` for any other selector.
    private static func path(_ selector: String) throws(VirtualDeviceError) -> String? {
        guard selector.hasPrefix(filePrefix) else { return nil }
        let path = String(selector.dropFirst(filePrefix.count))
        guard !path.isEmpty else {
            throw .usage(selector: selector, explanation: "expected a file in the form `file:<path>`.")
        }
        return path
    }

    /// Returns the last component of a path in printable form.
    static func fileName(_ path: String) -> String {
        (path.split(separator: "/").last.map(String.init) ?? path).printable()
    }
}
