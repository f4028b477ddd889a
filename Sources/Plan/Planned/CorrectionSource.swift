/// Where the correction of a device's time stamps comes from.
public enum CorrectionSource: String, Sendable, Codable {
    /// No correction is known: time stamps are taken as they are.
    case none
    /// The profile states the correction.
    case profile
    /// The correction was measured with `multicam calibrate`.
    case calibration
}
