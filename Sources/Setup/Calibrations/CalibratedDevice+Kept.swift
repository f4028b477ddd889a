internal import Media

extension CalibratedDevice {
    /// Reads every stored calibration, of every device and format, in the order of measurement.
    ///
    /// - Returns: The devices, and a sentence for the user when the file cannot be read.
    public static func kept() -> (devices: [CalibratedDevice], warning: String?) {
        let (calibrations, warning) = Calibrations.file?.read() ?? (Calibrations(), nil)
        return (calibrations.devices, warning)
    }

    /// Deletes the stored calibration of the devices that a name fits. Waits for the disk.
    ///
    /// - Parameter name: A role that a device played when it was measured, or a device's identity, name or selector.
    /// - Returns: The deleted calibrations, and a sentence for the user when the file could not be read.
    /// - Throws: `StateFileError` when the file cannot be written.
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
