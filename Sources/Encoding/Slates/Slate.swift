import Media

/// Makes JPEGs that stand where a camera's frame is missing.
enum Slate {
    /// Makes a slate of the size, sampling and baseline coding of a camera's JPEG, so that it can stand among the
    /// camera's packets.
    ///
    /// - Parameters:
    ///   - frame: One of the camera's own frames.
    ///   - caption: The words on the slate.
    /// - Returns: A whole JPEG.
    /// - Throws: When the frame is no JPEG, or libjpeg-turbo refuses it.
    static func jpeg(
        like frame: CapturedFrame, caption: SlateCaption
    ) throws(EncodingError) -> SharedBytes {
        guard frame.pixel == .mjpeg, let header = JPEGDecoder().header(of: frame.memory) else {
            throw EncodingError(
                subject: "a slate", operation: "reading the camera's frame",
                reason: "it is no JPEG that can be read")
        }
        let shifts = header.shifts ?? (1, 1)
        var scratch = ScratchPlanes()
        let planes = scratch.planes(header.size, shifts.horizontal, shifts.vertical)
        defer { withExtendedLifetime(scratch) {} }
        planes.paintSlate(caption, in: .jpeg)
        return try JPEGEncoder(quality: 75).encode(
            [UnsafePointer(planes.y), UnsafePointer(planes.u), UnsafePointer(planes.v)],
            strides: [planes.yStride, planes.uStride, planes.vStride], size: header.size,
            sampling: header.turboJPEG)
    }
}
