/// An event of a running calibration.
public enum CalibrationEvent: Sendable {
    /// All devices deliver: now is the time to clap. `reference` is the role of the reference microphone.
    case listening(reference: String)
    /// The reference heard an event, and the other devices had time to notice it. `number` counts from 1; the lists hold roles.
    case heard(number: Int, noticedBy: [String], missedBy: [String], findings: [CalibrationFinding])
    /// A sentence for the user: how to help, or why a device notices no more events.
    case hint(String)
}
