/// An event of a stress test. Events come in order.
public enum StressEvent: Sendable {
    /// The test's folder was created.
    case started(folder: String)
    /// A run begins; its verdict does not count yet.
    case began(StressCertificate.Run)
    /// A run ended and was judged.
    case ended(StressCertificate.Run)
    /// A sentence for the user.
    case warning(String)
}
