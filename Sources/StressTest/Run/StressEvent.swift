/// What happens in a stress test, in order.
public enum StressEvent: Sendable {
    /// Its folder has been made.
    case started(folder: String)
    /// A run begins: it has no verdict yet.
    case began(StressCertificate.Run)
    case ended(StressCertificate.Run)
    /// What a person should know.
    case warning(String)
}
