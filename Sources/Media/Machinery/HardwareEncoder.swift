/// The name of an H.264 encoder outside of the processor, as it was found on this computer.
///
/// Only a trial tells what the encoder can do (`TriedEncoder`).
public struct HardwareEncoder: Sendable, Hashable, Codable {
    /// libavcodec's name for the encoder: `h264_nvenc`, `h264_vaapi`, `h264_v4l2m2m`.
    public var library: String
    /// The device node of the encoder: `/dev/dri/renderD128`, `/dev/nvidia0`, `/dev/video11`.
    public var node: String
    /// The card's name, for people.
    public var device: String
    /// The driver with its version, as far as files tell it. The results of a trial hold for this driver only.
    public var driver: String

    /// Makes a name from its parts.
    public init(library: String, node: String, device: String, driver: String) {
        self.library = library
        self.node = node
        self.device = device
        self.driver = driver
    }

    /// The encoder and its node, printable: `h264_vaapi on /dev/dri/renderD128`.
    public var name: String { "\(library) on \(node)".printable() }
}
