import Media

/// Tells what shows another device's frame from what is a camera itself.
enum CaptureStick {
    /// Input terminals of a camera's sensor: ITT_CAMERA (UVC 1.5, table B-2).
    private static let cameraTerminal: UInt16 = 0x0201
    /// Chips of HDMI sticks that call themselves cameras in their descriptors, by the names under which the USB ID list has them:
    /// MacroSilicon MS2109 and MS2130, and the latter as UltraSemi sells it.
    private static let products: Set<String> = ["534d:2109", "534d:2130", "345f:2130"]
    /// What makers of the others call them.
    private static let words = ["hdmi", "capture", "grabber", "cam link", "game link", "live gamer"]

    /// - Parameters:
    ///   - camera: By sysfs.
    ///   - hasSignalInput: Whether its driver knows of a signal at its input: timings or a television standard.
    /// - Returns: Whether what it shows comes from another device.
    static func isOne(_ camera: SysfsCamera, hasSignalInput: Bool) -> Bool {
        if hasSignalInput || products.contains(camera.identity.product) { return true }
        if !camera.inputTerminals.isEmpty, !camera.inputTerminals.contains(cameraTerminal) { return true }
        let names = [camera.identity.name, camera.driversName].map { $0.lowercased() }
        return words.contains { word in names.contains { $0.contains(word) } }
    }
}
