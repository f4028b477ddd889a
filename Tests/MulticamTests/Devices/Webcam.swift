import MulticamMedia

/// Synthetic cameras of one model, distinguished by port and optionally by serial number.
func webcam(
    port: Int, serial: String = "", name: String = "Webcam", product: String = "046d:0825",
    sizes: [FrameSize] = [], problem: CaptureDevice.Problem? = nil
) -> CaptureDevice {
    let path = "pci-0000:00:14.0-usb-0:\(port):1.0"
    return CaptureDevice(
        mediaType: .video, deviceType: .external, isTypeKnown: false,
        identity: DeviceIdentity(busPath: path, product: product, serial: serial, name: name), name: name,
        node: "/dev/video\(port)", selector: "usb:\(path)",
        formats: sizes.map {
            OfferedFormat(pixel: .mjpeg, size: $0, rates: .listed([FrameRate(30, per: 1)]))
        }, problem: problem)
}
