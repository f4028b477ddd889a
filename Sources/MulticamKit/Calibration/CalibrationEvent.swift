/// What a calibration tells while it runs.
public enum CalibrationEvent: Sendable {
    /// All devices deliver: now is the time to clap.
    case listening(reference: String)
    /// The reference has heard an event, the others had time to notice it, and so much is known now.
    case heard(number: Int, noticedBy: [String], missedBy: [String], findings: [CalibrationFinding])
    /// What a person may do to help, or why a device notices nothing any more: a sentence.
    case hint(String)
}
