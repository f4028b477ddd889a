import Media

/// Tells capture sticks, which deliver another device's frames, from cameras.
enum CaptureStick {
    /// Terminal type of a camera's sensor: ITT_CAMERA (UVC 1.5, table B-2).
    private static let cameraTerminal: UInt16 = 0x0201
    /// USB product IDs of HDMI sticks whose descriptors claim to be cameras, as the USB ID list names them:
    /// MacroSilicon MS2109 and MS2130, and the latter as UltraSemi sells it.
    private static let products: Set<String> = ["534d:2109", "534d:2130", "345f:2130"]
    /// Words in the names of other capture sticks, in lower case.
    private static let words = ["hdmi", "capture", "grabber", "cam link", "game link", "live gamer"]

    /// Decides whether a camera is a capture stick.
    ///
    /// - Parameters:
    ///   - camera: The camera as sysfs shows it.
    ///   - hasSignalInput: Whether its driver knows of a signal at its input: timings or a television standard.
    /// - Returns: Whether its frames come from another device.
    static func isOne(_ camera: SysfsCamera, hasSignalInput: Bool) -> Bool {
        if hasSignalInput || products.contains(camera.identity.product) { return true }
        if !camera.inputTerminals.isEmpty, !camera.inputTerminals.contains(cameraTerminal) { return true }
        let names = [camera.identity.name, camera.driversName].map { $0.lowercased() }
        return words.contains { word in names.contains { $0.contains(word) } }
    }
}
