/// Whether this is a container, whose devices somebody else chooses.
package enum Container {
    /// By the marks that Docker, Podman and systemd-nspawn leave.
    ///
    /// - Parameter root: Of the file system; synthetic in tests.
    /// - Returns: `false` where nothing says so.
    package static func isAround(root: String = "") -> Bool {
        ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"].contains { Paths.exists(root + $0) }
    }
}
