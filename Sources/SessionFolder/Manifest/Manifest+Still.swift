extension Manifest {
    /// A still taken out of the recording.
    public struct Still: Sendable, Equatable, Codable {
        /// Capture time of the frame, in nanoseconds since T0.
        public var at_ns: Int64
        /// Role of the camera.
        public var role: String
        /// Path of the still, relative to the session folder.
        public var file: String
        /// Clip around the still, relative to the session folder; `nil` where none was requested.
        public var clip: String?

        package init(at_ns: Int64, role: String, file: String, clip: String?) {
            self.at_ns = at_ns
            self.role = role
            self.file = file
            self.clip = clip
        }
    }
}
