/// What devices that are observed tell.
public enum Observed: Sendable {
    case frame(ObservedFrame)
    case audio(ObservedAudio)
    /// The device is away; what comes after it returned lies on the same clock.
    case away(role: String, cause: String)
    case returned(role: String)
    /// The device will deliver no more.
    case ended(role: String, cause: String)
}
