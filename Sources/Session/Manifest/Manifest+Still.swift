internal import Media

extension Manifest {
    /// A still that was taken out of the recording.
    public struct Still: Sendable, Equatable, Codable {
        /// Of its picture's capture.
        public var at_ns: Int64
        /// Its camera's.
        public var role: String
        /// Relative to the session folder.
        public var file: String
        /// The clip around it.
        public var clip: String?

        init(at_ns: Int64, role: String, _ files: StillFolder.Files, in folder: String) {
            func relative(_ path: String) -> String {
                path.hasPrefix(folder + "/")
                    ? String(path.dropFirst(folder.count + 1)) : path.printable(limit: 1000)
            }
            self.at_ns = at_ns
            self.role = role
            file = relative(files.still)
            clip = files.clip.map(relative)
        }
    }
}
