/// The program version (Semantic Versioning 2.0) in manifests and in the output of `--version`.
public enum MulticamVersion {
    /// The current version of multicam.
    public static let current = "0.3.0"
}
