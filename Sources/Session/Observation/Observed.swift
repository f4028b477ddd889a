/// What an observed device delivered, or what happened to it.
public enum Observed: Sendable {
    case frame(ObservedFrame)
    case audio(ObservedAudio)
    /// The device is away; what comes after its return is dated on the same clock.
    case away(role: String, cause: String)
    case returned(role: String)
    /// The device will deliver nothing more.
    case ended(role: String, cause: String)
}
