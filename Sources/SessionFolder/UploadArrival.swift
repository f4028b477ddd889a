internal import MulticamMedia

/// The file in a session folder that receives a phone's uploaded local recording before it becomes the file
/// of a track.
package struct UploadArrival: Sendable, Equatable {
    /// Role of the phone's camera.
    package let role: String
    /// ID that the phone assigned to its local recording.
    package let id: String

    /// Describes an upload; `nil` if `role` or `id` doesn't consist of 1 to 32 letters, digits, `-` or `_`,
    /// because both become part of a file name.
    ///
    /// - Parameters:
    ///   - role: Role of the phone's camera.
    ///   - id: ID that the phone assigned to its local recording.
    package init?(role: String, id: String) {
        guard PhoneSelector.selector(of: role) != nil, PhoneSelector.selector(of: id) != nil else {
            return nil
        }
        (self.role, self.id) = (role, id)
    }

    /// Path of the file, relative to the session folder.
    package var file: String { "cameras/\(role)-phone-\(id)\(Self.suffix)" }
    /// Suffix of the names of these files.
    static let suffix = ".part"
}

extension Manifest {
    /// A phone's local recording, uploaded after the session. A local recording doesn't contain gaps caused
    /// by network failures.
    package struct Upload: Sendable, Equatable, Codable {
        /// Role of the phone's camera.
        package var role: String
        /// Selector of the phone, such as `phone:anna`.
        package var device: String
        /// ID that the phone assigned to its local recording.
        package var id: String
        /// Path of the file, relative to the session folder.
        package var file: String
        /// Codec of the frames: `h264` or `mjpeg`.
        package var codec: String
        /// Width of the frames in pixels.
        package var width: Int
        /// Height of the frames in pixels.
        package var height: Int
        /// Frame rate requested from the phone, in frames per second.
        package var rate: Double
        /// Position of the file's time 0, in nanoseconds since T0. The frames in the file keep their own
        /// capture times.
        package var first_ns: Int64
        /// Length of the file in nanoseconds.
        package var duration_ns: Int64
        /// Number of frames in the file, including those before its time 0.
        package var frames: Int
        /// Maximum error of the frames' capture times, in nanoseconds.
        package var error_ns: Int64

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
