/// An H.264 encoder outside of the processor, as it was found on this computer.
///
/// A value that names it; what it can do only a trial tells (`TriedEncoder`).
public struct HardwareEncoder: Sendable, Hashable, Codable {
    /// libavcodec's name for it: `h264_nvenc`, `h264_vaapi`, `h264_v4l2m2m`.
    public var library: String
    /// What it is reached by: `/dev/dri/renderD128`, `/dev/nvidia0`, `/dev/video11`.
    public var node: String
    /// For people: the card's name.
    public var device: String
    /// The driver with its version, as far as files tell it. What a trial found with one says nothing of another.
    public var driver: String

    public init(library: String, node: String, device: String, driver: String) {
        self.library = library
        self.node = node
        self.device = device
        self.driver = driver
    }

    /// `h264_vaapi on /dev/dri/renderD128`.
    public var name: String { "\(library) on \(node)".printable() }
}
