internal import CLinux
internal import FileSystem
import Glibc
public import Media

/// One open V4L2 node: its ioctls, with Swift errors. It has no thread and no stream of frames.
///
/// It closes the node at the end of its life. Formats and controls may be read and controls set while another program
/// streams.
public struct V4L2Device: ~Copyable, Sendable {
    /// Path that the node was opened by.
    public let path: String
    let descriptor: OwnedDescriptor
    /// Type of the node's buffers, a `v4l2_buf_type`.
    let bufferType: UInt32

    /// Opens a node.
    ///
    /// - Parameter path: A node such as `/dev/video0`, or a link to one.
    /// - Throws: `DeviceError` when the node is not found, or with the group that may open it when permission is
    ///   lacking.
    public init(path: String) throws(DeviceError) {
        try self.init(path: path, bufferType: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
    }

    init(path: String, bufferType: UInt32) throws(DeviceError) {
        self.path = path
        self.bufferType = bufferType
        do {
            descriptor = try OwnedDescriptor(opening: path, flags: O_RDWR | O_NONBLOCK)
        } catch {
            throw error.explained(node: path)
        }
    }

    /// The driver's description of the node.
    struct Capability {
        /// The card's name: "HD Pro Webcam C920".
        let name: String
        /// The device's place: "usb-0000:00:14.0-2".
        let bus: String
        let driver: String
        /// Whether the node captures frames, single-planar, into memory that is shared with the driver. Metadata nodes
        /// and outputs do not.
        let isCamera: Bool
        /// Whether the node delivers metadata for another node's frames.
        let isMetadata: Bool
        /// Whether the node takes frames and returns them changed (memory to memory).
        let isCodec: Bool
    }

    func capability() throws(DeviceError) -> Capability {
        var raw = v4l2_capability()
        try call(linux_VIDIOC_QUERYCAP, "VIDIOC_QUERYCAP", &raw)
        // `capabilities` is the whole device's, `device_caps` this node's (since Linux 3.3).
        let own = raw.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? raw.device_caps : raw.capabilities
        let needed = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
        let output = UInt32(V4L2_CAP_VIDEO_OUTPUT) | UInt32(V4L2_CAP_VIDEO_M2M)
        return Capability(
            name: CText.text(of: raw.card).printable(), bus: CText.text(of: raw.bus_info).printable(),
            driver: CText.text(of: raw.driver).printable(),
            isCamera: own & needed == needed && own & output == 0,
            isMetadata: own & UInt32(V4L2_CAP_META_CAPTURE) != 0 && own & UInt32(V4L2_CAP_STREAMING) != 0,
            isCodec: own & (UInt32(V4L2_CAP_VIDEO_M2M) | UInt32(V4L2_CAP_VIDEO_M2M_MPLANE)) != 0)
    }

    /// Whether another handle streams or is about to. Asks for zero buffers, which changes nothing else while this
    /// handle has none.
    func isInUse() -> Bool {
        do {
            try requestBuffers(0)
            return false
        } catch {
            if case .busy = error.reason { return true }
            return false
        }
    }

    /// Calls ioctl(2).
    ///
    /// - Parameters:
    ///   - request: The code from `CLinux`.
    ///   - name: Its name in C, for the message.
    ///   - argument: A value of the C type that the request takes; the driver may write to it.
    /// - Throws: `DeviceError` with the reason that `errno` gives.
    func call<Argument>(_ request: UInt, _ name: String, _ argument: inout Argument) throws(DeviceError) {
        let (result, number) = withUnsafeMutablePointer(to: &argument) {
            (linux_ioctl(descriptor.number, request, $0), errno)
        }
        guard result == 0 else { throw DeviceError(device: path, operation: name, errno: number) }
    }

    /// Whether the driver answers a request. For enumerations, which end with EINVAL, and for questions that a driver
    /// need not answer.
    func answers<Argument>(_ request: UInt, _ argument: inout Argument) -> Bool {
        withUnsafeMutablePointer(to: &argument) { linux_ioctl(descriptor.number, request, $0) == 0 }
    }
}
