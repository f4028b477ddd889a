internal import CMulticamLinux
import Glibc
import MulticamMedia

/// Memory layout of the frames in a camera's buffers.
struct FrameLayout: Sendable {
    /// Pixel format of the delivered frames; never `converted`, because converted frames are delivered as I420.
    let pixel: PixelFormat
    let size: FrameSize
    let color: ColorDescription
    let planes: [FramePlane]
    /// Minimum size of a complete raw frame in bytes; 1 for a compressed frame.
    let byteCount: Int
    let isConverted: Bool

    /// Computes the layout.
    ///
    /// - Parameters:
    ///   - pixel: Requested pixel format.
    ///   - size: Width × height of the whole frame in pixels.
    ///   - stride: Bytes per row of the first plane, from the driver; 0 if unknown.
    ///   - color: Color description from the driver. Ignored for MJPEG, gray and converted frames, which have fixed
    ///     descriptions.
    init(pixel: PixelFormat, size: FrameSize, stride: Int, color: ColorDescription) {
        self.size = size
        isConverted = pixel == .converted
        self.pixel = isConverted ? .i420 : pixel
        switch pixel {
        case .mjpeg: self.color = .jpeg
        // libv4lconvert converts the sensor's RGB to limited-range BT.601.
        case .converted: self.color = .bt601Limited
        // Cameras with this format use the full range, even if the driver reports another quantization. Windows
        // requires full range for infrared formats (L8), and libswscale treats gray frames the same way.
        case .grey: self.color = .jpeg
        default: self.color = color
        }
        let packed = FramePlane.packed(pixel, size)
        guard let first = packed.planes.first, !isConverted, stride > first.stride else {
            planes = packed.planes
            // libv4lconvert checks the length of frames in driver-specific formats.
            byteCount = isConverted ? 1 : max(packed.byteCount, 1)
            return
        }
        let halfRows = (size.height + 1) / 2
        // In planar formats, V4L2's `bytesperline` refers to the first plane; the strides of the other planes follow
        // from it.
        switch pixel {
        case .nv12:
            planes = [
                FramePlane(offset: 0, stride: stride),
                FramePlane(offset: stride * size.height, stride: stride),
            ]
            byteCount = stride * (size.height + halfRows)
        case .i420:
            let (luma, half) = (stride * size.height, stride / 2)
            planes = [
                FramePlane(offset: 0, stride: stride), FramePlane(offset: luma, stride: half),
                FramePlane(offset: luma + half * halfRows, stride: half),
            ]
            byteCount = luma + 2 * half * halfRows
        default:
            planes = [FramePlane(offset: 0, stride: stride)]
            byteCount = stride * size.height
        }
    }
}

/// Converts the raw formats of old webcams to I420 with libv4lconvert, for one device. Must be used from only
/// one thread at a time.
final class LegacyConverter {
    private let handle: OpaquePointer
    private let source: v4l2_format
    private let destination: v4l2_format
    private let size: FrameSize

    /// Sets up libv4lconvert for a device.
    ///
    /// - Parameters:
    ///   - path: Path of the device, for messages.
    ///   - descriptor: File descriptor of the device. The descriptor must stay open for the lifetime of this object.
    ///   - source: The format that the driver granted.
    /// - Throws: `DeviceError` if libv4lconvert can't be set up for the device.
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
    /// - Returns: A packed I420 frame in newly allocated memory; `nil` if the bytes aren't a valid frame.
    func converted(_ bytes: UnsafeRawBufferPointer) -> SharedBytes? {
        guard let start = bytes.baseAddress, let length = Int32(exactly: bytes.count) else { return nil }
        let result = SharedBytes(count: Int(destination.fmt.pix.sizeimage))
        var (source, destination) = (source, destination)
        // libv4lconvert takes a mutable pointer, but writes to it only when it rotates the frames of one camera model
        // in place.
        let count = v4lconvert_convert(
            handle, &source, &destination,
            UnsafeMutableRawPointer(mutating: start).assumingMemoryBound(to: UInt8.self),
            length, result.start.assumingMemoryBound(to: UInt8.self), Int32(result.count))
        return count == result.count ? result : nil
    }
}
