import Media

/// Layout of the frames in a camera's buffers.
struct FrameLayout: Sendable {
    /// Pixel format of the delivered frames; never `converted`, as those are I420 when they leave the device.
    let pixel: PixelFormat
    let size: FrameSize
    let color: ColorDescription
    let planes: [FramePlane]
    /// The least bytes of a whole raw frame; 1 for a compressed one.
    let byteCount: Int
    let isConverted: Bool

    /// Computes the layout.
    ///
    /// - Parameters:
    ///   - pixel: Pixel format that the format asks for.
    ///   - size: Width × height of the whole frame in pixels.
    ///   - stride: Bytes from one row of the first plane to the next, as the driver says; 0 where it does not.
    ///   - color: Color description from the driver. MJPEG, grey and converted frames have one of their own.
    init(pixel: PixelFormat, size: FrameSize, stride: Int, color: ColorDescription) {
        self.size = size
        isConverted = pixel == .converted
        self.pixel = isConverted ? .i420 : pixel
        switch pixel {
        case .mjpeg: self.color = .jpeg
        // libv4lconvert makes BT.601 video range of the sensor's RGB.
        case .converted: self.color = .bt601Limited
        // Such cameras use all codes, whatever their drivers say of the range of colours that they do not have: Windows asks it of
        // infrared ones (L8), and libswscale takes grey frames so.
        case .grey: self.color = .jpeg
        default: self.color = color
        }
        let packed = FramePlane.packed(pixel, size)
        guard let first = packed.planes.first, !isConverted, stride > first.stride else {
            planes = packed.planes
            // libv4lconvert checks the length of the driver's own formats.
            byteCount = isConverted ? 1 : max(packed.byteCount, 1)
            return
        }
        let halfRows = (size.height + 1) / 2
        // In planar formats V4L2's `bytesperline` is the first plane's; the strides of the others follow from it.
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
