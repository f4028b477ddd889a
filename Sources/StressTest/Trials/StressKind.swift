/// The ways to stress a bundle of cameras.
public enum StressKind: String, Sendable, Codable, CaseIterable {
    /// Finds which cameras run together, in which formats.
    case sets
    /// Raises the load until a step fails.
    case climb
    /// Records the profile as it stands for a long time.
    case soak
}
