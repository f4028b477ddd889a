internal import Media
internal import SessionFolder

extension Manifest.Still {
    /// - Parameters:
    ///   - at_ns: Time of the frame's capture, in nanoseconds since T0.
    ///   - role: The camera's role.
    ///   - files: What was written of the still.
    ///   - folder: The session folder, to which the names in the manifest are relative.
    init(at_ns: Int64, role: String, _ files: StillFolder.Files, in folder: String) {
        func relative(_ path: String) -> String {
            path.hasPrefix(folder + "/")
                ? String(path.dropFirst(folder.count + 1)) : path.printable(limit: 1000)
        }
        self.init(at_ns: at_ns, role: role, file: relative(files.still), clip: files.clip.map(relative))
    }
}
