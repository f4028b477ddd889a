internal import CMulticamLinux
import Glibc
package import MulticamMedia
internal import MulticamSystem

/// A V4L2 output node, such as one created by v4l2loopback. Other programs read the written frames as a
/// camera.
///
/// Can be used from any thread, but only by one thread at a time. The node is closed when the object is released.
package final class V4L2Output: Sendable {
    /// Pixel format that the node accepts.
    package let pixel: PixelFormat
    /// Frame size that the node accepts.
    package let size: FrameSize
    private let device: V4L2Device

    /// Formats in order of preference. All programs that read cameras support the first format, but some don't support
    /// the other formats.
    private static let wanted: [(code: FourCC, pixel: PixelFormat)] = [
        (FourCC("YUYV"), .yuyv), (.planar420, .i420), (FourCC("NV12"), .nv12),
    ]

    /// Opens a node and negotiates a format.
    ///
    /// If another program is reading from the node, the node keeps its current format, and frames must be
    /// converted to this format.
    ///
    /// - Parameters:
    ///   - path: A node such as `/dev/video9`.
    ///   - size: Width and height of the frames, both even.
    ///   - rate: The rate reported to other programs. Frames can be written at any rate.
    /// - Throws: `DeviceError`: `notFound` if the node doesn't exist, `busy` if another program already writes to it,
    ///   `noPermission`, `formatNotSupported`, and `other` for a node that doesn't accept frames.
    package init(path: String, size: FrameSize, rate: FrameRate) throws(DeviceError) {
        let device = try V4L2Device(path: path, bufferType: V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
        let takes: Capability
        do throws(DeviceError) {
            takes = Capability(try device.rawCapability())
        } catch {
            throw DeviceError(
                device: path, operation: "opening", reason: .other("this is not a video device."))
        }
        switch takes {
        case .frames: break
        case .inUseByAnotherWriter:
            throw DeviceError(device: path, operation: "opening", reason: .busy(by: nil))
                .explained(node: path)
        case .none(let name):
            throw DeviceError(
                device: path, operation: "opening",
                reason: .other("\"\(name)\" is not a video output device, so frames cannot be sent to it."))
        }
        (pixel, size: self.size) = try Self.negotiateFormat(with: device, size: size)
        device.setOutputRate(rate)
        // Streaming writers call this ioctl. Without this call, v4l2loopback 0.12 would keep showing a node with
        // exclusive_caps as a camera after its writer has exited. Newer versions reject the call for programs that use
        // write(2), and don't need it.
        var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
        _ = device.tryCall(linux_VIDIOC_STREAMON, &type)
        self.device = device
    }

    private static func negotiateFormat(
        with device: borrowing V4L2Device, size: FrameSize
    ) throws(DeviceError) -> (PixelFormat, size: FrameSize) {
        var offered: [String] = []
        for (code, pixel) in wanted {
            var format = v4l2_format()
            format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
            format.fmt.pix.width = UInt32(size.width)
            format.fmt.pix.height = UInt32(size.height)
            format.fmt.pix.pixelformat = code.code
            format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
            // The session's frames use this color space. v4l2loopback 0.12 still reports sRGB to readers.
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

    /// Writes one frame. Doesn't block.
    ///
    /// - Parameter frame: The frame in the node's format, with all planes packed.
    /// - Returns: Whether the node accepted the frame; `false` if it isn't ready for another one.
    /// - Throws: `DeviceError` if the node is gone or fails.
    package func write(_ frame: SharedBytes) throws(DeviceError) -> Bool {
        let written = Glibc.write(device.descriptor.number, frame.start, frame.count)
        let number = errno
        if written < 0 {
            guard number == EAGAIN || number == EINTR else {
                throw DeviceError(device: device.path, operation: "writing", errno: number)
            }
            return false
        }
        return true
    }

    /// Whether and how a program can write frames to a node.
    enum Capability: Equatable {
        case frames
        /// The node accepts frames, but another program is writing to it.
        case inUseByAnotherWriter
        /// The node doesn't accept frames; the value is the device's name.
        case none(name: String)

        /// Creates a value from the driver's description.
        init(_ raw: v4l2_capability) {
            let own =
                raw.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? raw.device_caps : raw.capabilities
            self.init(
                driver: CText.text(of: raw.driver).printable(), name: CText.text(of: raw.card).printable(),
                own)
        }

        /// Classifies a node by the driver's name, the device's name, and the node's `V4L2_CAP_…` flags.
        init(driver: String, name: String, _ own: UInt32) {
            let (capture, output) = (
                own & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0, own & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0
            )
            let writes = own & UInt32(V4L2_CAP_READWRITE) != 0
            // With exclusive_caps, a loopback node with an active writer reports only the capability of a
            // camera. v4l2loopback 0.12 reports neither capability after a writer has exited without
            // streaming.
            let isLoopback = driver.hasPrefix("v4l2 loopback") || driver.hasPrefix("v4l2loopback")
            self =
                switch (output && writes, isLoopback && writes, capture) {
                case (true, _, _), (false, true, false): .frames
                case (false, true, true): .inUseByAnotherWriter
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

    /// Sets the nominal rate of the written frames. Drivers may ignore the rate.
    fileprivate func setOutputRate(_ rate: FrameRate) {
        var parameters = v4l2_streamparm()
        parameters.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        parameters.parm.output.timeperframe = v4l2_fract(
            numerator: UInt32(clamping: rate.seconds), denominator: UInt32(clamping: rate.frames))
        _ = tryCall(linux_VIDIOC_S_PARM, &parameters)
    }
}
