internal import CLinux
internal import Descriptors
import Glibc
public import Media

/// One open V4L2 node: its ioctls, with Swift errors. Knows nothing of threads or streams of frames.
///
/// Closes the node when it goes away. Formats and controls may be read and controls set while another program streams.
public struct V4L2Device: ~Copyable, Sendable {
    public let path: String
    let descriptor: OwnedDescriptor
    /// What its buffers hold, of `v4l2_buf_type`.
    let bufferType: UInt32

    /// - Parameter path: A node such as `/dev/video0`, or a link to one.
    /// - Throws: `DeviceError`: not found, or no permission with the group that may.
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

    /// What the driver says the node is.
    struct Capability {
        /// The card's name: "HD Pro Webcam C920".
        let name: String
        /// Where it hangs: "usb-0000:00:14.0-2".
        let bus: String
        let driver: String
        /// It captures frames, single-planar, into memory that is shared with us. Metadata nodes and outputs do not.
        let isCamera: Bool
        /// It gives what accompanies another node's frames.
        let isMetadata: Bool
        /// It takes frames and gives them back changed.
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

    /// Whether another handle streams or is about to: asks for no buffers, which only changes that we have none.
    func isInUse() -> Bool {
        do {
            try requestBuffers(0)
            return false
        } catch {
            if case .busy = error.reason { return true }
            return false
        }
    }

    /// - Parameters:
    ///   - request: The code from `CLinux`.
    ///   - name: Its name in C, for the message.
    ///   - argument: Of the C type that the request takes; the driver may write to it.
    /// - Throws: When ioctl(2) fails, with the reason that its `errno` gives.
    func call<Argument>(_ request: UInt, _ name: String, _ argument: inout Argument) throws(DeviceError) {
        let (result, number) = withUnsafeMutablePointer(to: &argument) {
            (linux_ioctl(descriptor.number, request, $0), errno)
        }
        guard result == 0 else { throw DeviceError(device: path, operation: name, errno: number) }
    }

    /// For enumerations, which end with EINVAL, and questions that a driver need not answer: whether there was an answer.
    func answers<Argument>(_ request: UInt, _ argument: inout Argument) -> Bool {
        withUnsafeMutablePointer(to: &argument) { linux_ioctl(descriptor.number, request, $0) == 0 }
    }
}
