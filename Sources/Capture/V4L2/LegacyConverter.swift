internal import CLinux
import Glibc
import Media

/// Converts the raw formats of old webcams to I420 with libv4lconvert, for one device. Used by one thread at a time.
final class LegacyConverter {
    private let handle: OpaquePointer
    private let source: v4l2_format
    private let destination: v4l2_format
    private let size: FrameSize

    /// Sets up libv4lconvert for a device.
    ///
    /// - Parameters:
    ///   - path: Path of the device, for messages.
    ///   - descriptor: File descriptor of the device. It must stay open as long as this lives.
    ///   - source: The format that the driver granted.
    /// - Throws: `DeviceError` when libv4lconvert cannot be set up for the device.
    init(device path: String, descriptor: Int32, source: v4l2_format) throws(DeviceError) {
        guard let handle = v4lconvert_create(descriptor) else {
            throw DeviceError(device: path, operation: "v4lconvert_create", errno: errno)
        }
        self.handle = handle
        self.source = source
        size = FrameSize(width: Int(source.fmt.pix.width), height: Int(source.fmt.pix.height))
        var destination = v4l2_format()
        destination.type = source.type
        destination.fmt.pix.width = source.fmt.pix.width
        destination.fmt.pix.height = source.fmt.pix.height
        destination.fmt.pix.pixelformat = FourCC.planar420.code
        destination.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        destination.fmt.pix.bytesperline = UInt32(size.width)
        destination.fmt.pix.sizeimage = UInt32(FramePlane.packed(.i420, size).byteCount)
        self.destination = destination
    }

    deinit {
        v4lconvert_destroy(handle)
    }

    /// Converts a frame.
    ///
    /// - Returns: A packed I420 frame in memory of its own; `nil` for bytes that are no frame.
    func converted(_ bytes: UnsafeRawBufferPointer) -> SharedBytes? {
        guard let start = bytes.baseAddress, let length = Int32(exactly: bytes.count) else { return nil }
        let result = SharedBytes(count: Int(destination.fmt.pix.sizeimage))
        var (source, destination) = (source, destination)
        // libv4lconvert takes a mutable pointer, but only its in-place rotation for one camera model ever writes.
        let count = v4lconvert_convert(
            handle, &source, &destination,
            UnsafeMutableRawPointer(mutating: start).assumingMemoryBound(to: UInt8.self),
            length, result.start.assumingMemoryBound(to: UInt8.self), Int32(result.count))
        return count == result.count ? result : nil
    }
}
