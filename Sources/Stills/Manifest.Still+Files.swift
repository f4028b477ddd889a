internal import Media
package import SessionFolder

extension Manifest.Still {
    /// Creates the manifest's entry of a still.
    ///
    /// - Parameters:
    ///   - at_ns: Capture time of the frame, in nanoseconds since T0.
    ///   - role: The camera's role.
    ///   - files: The written files.
    ///   - folder: Path of the session folder, or `nil` for none; files in it are named relative to it.
    package init(at_ns: Int64, role: String, _ files: StillFolder.Files, in folder: String?) {
        func relative(_ path: String) -> String {
            guard let folder, path.hasPrefix(folder + "/") else { return path.printable(limit: 1000) }
            return String(path.dropFirst(folder.count + 1))
        }
        self.init(at_ns: at_ns, role: role, file: relative(files.still), clip: files.clip.map(relative))
    }
}
