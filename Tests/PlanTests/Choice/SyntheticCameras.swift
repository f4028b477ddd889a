import MulticamMedia

/// A computer's two built-in cameras and some external ones.
enum SyntheticCameras {
    static let front = camera("front", .builtIn, .front, port: 1)
    static let back = camera("back", .builtIn, .back, port: 2)
    static let display = camera("display", .external, port: 3)
    static let stick = camera("stick", .external, port: 4)

    static func camera(
        _ name: String, _ type: CaptureDevice.DeviceType = .external,
        _ position: CaptureDevice.Position = .unspecified, port: Int, serial: String = "",
        formats: [OfferedFormat] = [], problem: CaptureDevice.Problem? = nil
    ) -> CaptureDevice {
        let path = "pci-0000:00:14.0-usb-0:\(port):1.0"
        return CaptureDevice(
            mediaType: .video, deviceType: type, position: position,
            identity: DeviceIdentity(busPath: path, product: "046d:0825", serial: serial, name: name),
            name: name, node: "/dev/video\(port)", selector: "usb:\(path)", formats: formats,
            problem: problem)
    }

    static func microphone(_ name: String, isDefault: Bool = false) -> CaptureDevice {
        var microphone = CaptureDevice(
            mediaType: .audio, deviceType: .microphone, identity: DeviceIdentity(name: name), name: name,
            node: name, selector: "pulse:\(name)")
        microphone.isDefault = isDefault
        return microphone
    }
}

extension CaptureDevice {
    /// The same device in another state.
    func with(_ problem: Problem?) -> CaptureDevice {
        CaptureDevice(
            mediaType: mediaType, deviceType: deviceType, position: position, identity: identity, name: name,
            node: node, selector: selector, problem: problem)
    }
}
