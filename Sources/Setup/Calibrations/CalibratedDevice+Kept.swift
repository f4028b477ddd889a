internal import Media

extension CalibratedDevice {
    /// Everything that is kept, of every device and format, in the order in which it was measured. Reads a
    /// file.
    ///
    /// - Returns: The devices, and a sentence for the user where the file is broken.
    public static func kept() -> (devices: [CalibratedDevice], warning: String?) {
        let (calibrations, warning) = Calibrations.file?.read() ?? (Calibrations(), nil)
        return (calibrations.devices, warning)
    }

    /// Forgets what was measured of devices. Waits for the disk.
    ///
    /// - Parameter name: A role that they played when they were measured, or their identity, name or selector.
    /// - Returns: What was forgotten, and a sentence for the user where the file was broken.
    /// - Throws: When it cannot be written.
    public static func forget(
        _ name: String
    ) throws(StateFileError) -> (devices: [CalibratedDevice], warning: String?) {
        guard let file = Calibrations.file else { return ([], nil) }
        var (known, problem) = file.read()
        // Where there is nothing to forget, nothing is written.
        guard !known.forget(name).isEmpty else { return ([], problem) }
        var forgotten: [CalibratedDevice] = []
        let warning = try file.update { forgotten = $0.forget(name) }
        return (forgotten, warning)
    }
}
