/// Kind of a camera or microphone. The kind determines the likely causes of data loss and the remedies.
package enum SourceKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A camera inside the computer.
    case builtIn = "built-in"
    /// A camera that is connected to the computer, for example over USB.
    case external
    /// A sound server microphone.
    case microphone
    /// A synthetic camera or microphone.
    case virtual
    /// A media file that is played as a camera or microphone.
    case file
    /// A network camera, with or without audio.
    case network
    /// A phone that serves as a camera or microphone.
    case phone
    /// A computer screen whose picture is captured.
    case screen
    /// Another program that sends frames or audio over the media socket.
    case application
    /// A source that the program itself provides.
    case own

    /// Determines a device's kind.
    package init(_ device: CaptureDevice) {
        // Only devices that the program itself provides have neither a node nor a selector.
        if device.node.isEmpty, device.selector.isEmpty {
            self = .own
            return
        }
        self =
            switch device.deviceType {
            case .builtIn: .builtIn
            case .external: .external
            case .microphone: .microphone
            case .virtual: .virtual
            case .file: .file
            case .screen: .screen
            case .network:
                if PhoneSelector.handles(device.selector) {
                    .phone
                } else if SourceAddress.isRelayed(device.selector) {
                    .network
                } else {
                    .application
                }
            }
    }
}

extension SourceKind {
    /// Advice on what to check if a device of this kind delivers no data, as a sentence without its period.
    package var advice: String {
        switch self {
        case .builtIn: "Check the camera's privacy switch"
        case .external: "Check the device's cable, or try another port"
        case .microphone: "Check the microphone's cable, and whether another program is using the microphone"
        case .virtual: "Check the selector of the virtual device"
        case .file: "Check the file with `ffprobe`"
        case .network: "Check that the camera is switched on and streaming"
        case .phone: "Keep the page open on the phone, and keep the phone's screen on"
        case .screen: "Share the screen again"
        case .application: "Check the sending application"
        case .own: "Check the application's own source"
        }
    }
}

extension DeviceError.Reason {
    /// Returns the error for a device of this kind that delivered no usable data in time, with advice that
    /// suits the kind.
    ///
    /// - Parameters:
    ///   - kind: The kind of device.
    ///   - seconds: How long the session waited for data.
    ///   - outage: The cause that the device reported for its current outage; `nil` without an outage.
    /// - Returns: The reason of a `DeviceError`.
    package static func noData(from kind: SourceKind, seconds: Int, after outage: String?) -> Self {
        switch kind {
        case .builtIn, .external, .microphone: .silent(seconds: seconds)
        case .virtual, .file, .network, .phone, .screen, .application, .own:
            .other(
                "the device delivered no usable data within \(seconds) s\(outage.map { " (\($0.trimmingFullStop))" } ?? ""). \(kind.advice), or remove the device from the profile."
            )
        }
    }
}
