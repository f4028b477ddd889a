/// The program's version, as manifests and `--version` say it (semantic versioning 2.0).
public enum MulticamVersion {
    public static let current = "0.2.0"
}
