/// The ways to stress a bundle of cameras.
public enum StressKind: String, Sendable, Codable, CaseIterable {
    /// Which cameras run together, in which formats.
    case sets
    /// The load is raised until something gives.
    case climb
    /// The profile as it stands, for long.
    case soak
}
