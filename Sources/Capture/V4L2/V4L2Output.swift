internal import CLinux
internal import FileSystem
import Glibc
package import Media

/// A V4L2 node that takes frames, as v4l2loopback's do: what is written to it other programs read as a camera's.
///
/// Any thread may use it, one at a time. It closes the node at the end of its life.
package final class V4L2Output: Sendable {
    /// The pixel format that the node takes.
    package let pixel: PixelFormat
    /// Width and height that the node takes.
    package let size: FrameSize
    private let device: V4L2Device

    /// What the node takes is taken in this order. Every program that reads cameras knows the first; of the others some do not.
    private static let wanted: [(code: FourCC, pixel: PixelFormat)] = [
        (FourCC("YUYV"), .yuyv), (.planar420, .i420), (FourCC("NV12"), .nv12),
    ]

    /// Opens a node and agrees on a format.
    ///
    /// A node that another program reads keeps the format that it has; frames have to be made to fit.
    ///
    /// - Parameters:
    ///   - path: A node such as `/dev/video9`.
    ///   - size: Width and height of the frames, both even.
    ///   - rate: The rate that programs are told; frames may come at any.
    /// - Throws: `DeviceError`: `notFound` without such a node, `busy` when another program sends to it already, `noPermission`,
    ///   `formatNotSupported`, and `other` for a node that takes no frames.
    package init(path: String, size: FrameSize, rate: FrameRate) throws(DeviceError) {
        let device = try V4L2Device(path: path, bufferType: V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
        let takes: Capability
        do throws(DeviceError) {
            takes = Capability(try device.rawCapability())
        } catch {
            throw DeviceError(device: path, operation: "open", reason: .other("it is no video device."))
        }
        switch takes {
        case .frames: break
        case .framesOfAnother:
            throw DeviceError(device: path, operation: "open", reason: .busy(by: nil)).explained(node: path)
        case .none(let name):
            throw DeviceError(
                device: path, operation: "open",
                reason: .other("\"\(name)\" is a camera or the like, which takes no frames."))
        }
        (pixel, size: self.size) = try Self.agree(with: device, on: size)
        device.tell(rate)
        // What a writer does that streams. Without it v4l2loopback 0.12 would show a node with exclusive_caps as a camera for ever, long
        // after its writer has gone. Newer versions refuse it to who only writes, and do not need it.
        var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
        _ = device.answers(linux_VIDIOC_STREAMON, &type)
        self.device = device
    }

    private static func agree(
        with device: borrowing V4L2Device, on size: FrameSize
    ) throws(DeviceError) -> (PixelFormat, size: FrameSize) {
        var offered: [String] = []
        for (code, pixel) in wanted {
            var format = v4l2_format()
            format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
            format.fmt.pix.width = UInt32(size.width)
            format.fmt.pix.height = UInt32(size.height)
            format.fmt.pix.pixelformat = code.code
            format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
            // The session's frames are in these colours; v4l2loopback 0.12 tells its readers sRGB all the same.
            format.fmt.pix.colorspace = V4L2_COLORSPACE_REC709.rawValue
            try device.call(linux_VIDIOC_S_FMT, "VIDIOC_S_FMT", &format)
            let pix = format.fmt.pix
            let granted = FrameSize(width: Int(pix.width), height: Int(pix.height))
            let stride = FramePlane.packed(pixel, granted).planes[0].stride
            if pix.pixelformat == code.code, granted.isPlausible, granted.width % 2 == 0,
                granted.height % 2 == 0, Int(pix.bytesperline) == stride
            {
                return (pixel, granted)
            }
            offered.append("\(FourCC(pix.pixelformat).text) \(granted)")
        }
        throw DeviceError(
            device: device.path, operation: "VIDIOC_S_FMT",
            reason: .formatNotSupported(requested: "YUYV, YU12 or NV12 of \(size)", offered: offered))
    }

    /// Writes one frame. Does not block.
    ///
    /// - Parameter frame: All planes, packed, in the node's format.
    /// - Returns: Whether the node took it; `false` where it is not ready for another one.
    /// - Throws: `DeviceError` when the node is gone or fails.
    package func write(_ frame: SharedBytes) throws(DeviceError) -> Bool {
        let written = Glibc.write(device.descriptor.number, frame.start, frame.count)
        let number = errno
        if written < 0 {
            guard number == EAGAIN || number == EINTR else {
                throw DeviceError(device: device.path, operation: "write", errno: number)
            }
            return false
        }
        return true
    }

    /// What a node is to who wants to send to it.
    enum Capability: Equatable {
        case frames
        /// Frames, but of another program that sends to it now.
        case framesOfAnother
        /// No frames; the device's name.
        case none(name: String)

        /// Reads the driver's description.
        init(_ raw: v4l2_capability) {
            let own =
                raw.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? raw.device_caps : raw.capabilities
            self.init(
                driver: CText.text(of: raw.driver).printable(), name: CText.text(of: raw.card).printable(),
                own)
        }

        /// Judges by the driver's name, the device's, and the node's `V4L2_CAP_…`.
        init(driver: String, name: String, _ own: UInt32) {
            let (capture, output) = (
                own & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0, own & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0
            )
            let writes = own & UInt32(V4L2_CAP_READWRITE) != 0
            // With exclusive_caps a loopback that somebody sends to is a camera and nothing else; version 0.12 says neither when a
            // writer has gone that did not stream.
            let isLoopback = driver.hasPrefix("v4l2 loopback") || driver.hasPrefix("v4l2loopback")
            self =
                switch (output && writes, isLoopback && writes, capture) {
                case (true, _, _), (false, true, false): .frames
                case (false, true, true): .framesOfAnother
                default: .none(name: name)
                }
        }
    }
}

extension V4L2Device {
    fileprivate func rawCapability() throws(DeviceError) -> v4l2_capability {
        var raw = v4l2_capability()
        try call(linux_VIDIOC_QUERYCAP, "VIDIOC_QUERYCAP", &raw)
        return raw
    }

    /// Tells the driver the rate at which frames will be written; drivers need not care.
    fileprivate func tell(_ rate: FrameRate) {
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        parameters.parm.output.timeperframe = v4l2_fract(
            numerator: UInt32(clamping: rate.seconds), denominator: UInt32(clamping: rate.frames))
        _ = answers(linux_VIDIOC_S_PARM, &parameters)
    }
}
