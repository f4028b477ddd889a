extension Manifest {
    /// A still that was taken out of the recording.
    public struct Still: Sendable, Equatable, Codable {
        /// Time of the frame's capture, in nanoseconds since T0.
        public var at_ns: Int64
        /// The camera's role.
        public var role: String
        /// Relative to the session folder.
        public var file: String
        /// The clip around it, relative to the session folder; `nil` where none was asked for.
        public var clip: String?

        package init(at_ns: Int64, role: String, file: String, clip: String?) {
            self.at_ns = at_ns
            self.role = role
            self.file = file
            self.clip = clip
        }
    }
}
