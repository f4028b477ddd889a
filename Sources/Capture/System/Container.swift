/// Detects whether the process runs in a container, whose devices are chosen from outside.
package enum Container {
    /// Looks for the marks that Docker, Podman and systemd-nspawn leave.
    ///
    /// - Parameter root: Prefix of the file system's paths, for tests.
    /// - Returns: `false` where no mark is found.
    package static func isAround(root: String = "") -> Bool {
        ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"].contains { Paths.exists(root + $0) }
    }
}
