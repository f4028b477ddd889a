extension Manifest {
    /// What a phone kept of a recording in its own storage, and has handed over afterwards: without the holes that its network had.
    public struct Upload: Sendable, Equatable, Codable {
        /// Role of the phone's camera.
        public var role: String
        /// Selector of the phone, such as `phone:anna`.
        public var device: String
        /// The number by which the phone knows what it has handed over.
        public var id: String
        /// Path of the file, relative to the session folder.
        public var file: String
        /// Codec of the frames: `h264` or `mjpeg`.
        public var codec: String
        /// Width of the frames in pixels.
        public var width: Int
        /// Height of the frames in pixels.
        public var height: Int
        /// Frames per second, as the phone was asked for them.
        public var rate: Double
        /// Time 0 of the file in nanoseconds since T0; frames keep their own capture times.
        public var first_ns: Int64
        /// Length of the file in nanoseconds.
        public var duration_ns: Int64
        /// Number of frames in the file, those before its time 0 among them.
        public var frames: Int
        /// How far off the frames' times may be, in nanoseconds.
        public var error_ns: Int64

        package init(
            role: String, device: String, id: String, file: String, codec: String, width: Int, height: Int,
            rate: Double,
            first_ns: Int64, duration_ns: Int64, frames: Int, error_ns: Int64
        ) {
            self.role = role
            self.device = device
            self.id = id
            self.file = file
            self.codec = codec
            self.width = width
            self.height = height
            self.rate = rate
            self.first_ns = first_ns
            self.duration_ns = duration_ns
            self.frames = frames
            self.error_ns = error_ns
        }
    }
}
