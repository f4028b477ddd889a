/// The program version (Semantic Versioning 2.0) in manifests and in the output of `--version`.
package enum MulticamVersion {
    /// The current version of multicam.
    package static let current = "0.3.0"
}
