import Media

/// How the bytes of a camera's buffers become pictures.
struct PictureLayout: Sendable {
    /// What the pictures are. Never `converted`: those are I420 when they leave the device.
    let pixel: PixelFormat
    let size: PictureSize
    let color: ColorDescription
    let planes: [PicturePlane]
    /// The least bytes of a whole raw picture; 1 for a compressed one.
    let byteCount: Int
    let isConverted: Bool

    /// - Parameters:
    ///   - pixel: As the format asks.
    ///   - size: Of the whole picture, in pixels.
    ///   - stride: Bytes from row to row of the first plane, as the driver says; 0 where it does not.
    ///   - color: As the driver says. MJPEG and converted pictures have one of their own.
    init(pixel: PixelFormat, size: PictureSize, stride: Int, color: ColorDescription) {
        self.size = size
        isConverted = pixel == .converted
        self.pixel = isConverted ? .i420 : pixel
        switch pixel {
        case .mjpeg: self.color = .jpeg
        // libv4lconvert makes BT.601 video range of the sensor's RGB.
        case .converted: self.color = .bt601Limited
        // Such cameras use all codes, whatever their drivers say of the range of colours that they do not have: Windows asks it of
        // infrared ones (L8), and libswscale takes grey pictures so.
        case .grey: self.color = .jpeg
        default: self.color = color
        }
        let packed = PicturePlane.packed(pixel, size)
        guard let first = packed.planes.first, !isConverted, stride > first.stride else {
            planes = packed.planes
            // Bytes of the driver's own format are libv4lconvert's to judge.
            byteCount = isConverted ? 1 : max(packed.byteCount, 1)
            return
        }
        let halfRows = (size.height + 1) / 2
        // Of planar formats, V4L2's `bytesperline` is the first plane's; those of the others follow from it.
        switch pixel {
        case .nv12:
            planes = [
                PicturePlane(offset: 0, stride: stride),
                PicturePlane(offset: stride * size.height, stride: stride),
            ]
            byteCount = stride * (size.height + halfRows)
        case .i420:
            let (luma, half) = (stride * size.height, stride / 2)
            planes = [
                PicturePlane(offset: 0, stride: stride), PicturePlane(offset: luma, stride: half),
                PicturePlane(offset: luma + half * halfRows, stride: half),
            ]
            byteCount = luma + 2 * half * halfRows
        default:
            planes = [PicturePlane(offset: 0, stride: stride)]
            byteCount = stride * size.height
        }
    }
}
