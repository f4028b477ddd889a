/// Who says how far a device's time stamps are off.
public enum CorrectionSource: String, Sendable, Codable {
    /// Nobody: they are taken as they are.
    case none
    case profile
    /// It was measured with `multicam calibrate`.
    case calibration
}
