/// Version of the program (semantic versioning 2.0), as manifests and `--version` show it.
public enum MulticamVersion {
    /// The present version.
    public static let current = "0.2.0"
}
