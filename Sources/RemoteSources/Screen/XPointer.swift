internal import CMedia
internal import CXCB
internal import Media

/// The mouse pointer of a display, as it is to be drawn into a picture. Belongs to the connection's thread.
struct XPointer {
    private var corner = (x: 0, y: 0)
    private var size = FrameSize(width: 0, height: 0)
    private var serial: UInt32 = 0
    /// Its pixels as premultiplied B, G, R, A; none where the server's answer did not have them all.
    private var image: [UInt32] = []

    /// Takes the server's answer.
    ///
    /// - Parameters:
    ///   - reply: The answer.
    ///   - origin: Where the picture begins on the screen.
    /// - Returns: Whether it looks otherwise, or is elsewhere in the picture.
    mutating func take(
        _ reply: borrowing XReply<xcb_xfixes_get_cursor_image_reply_t>, origin: (x: Int, y: Int)
    ) -> Bool {
        let answer = reply.pointer.pointee
        let corner = (
            x: Int(answer.x) - Int(answer.xhot) - origin.x, y: Int(answer.y) - Int(answer.yhot) - origin.y
        )
        let size = FrameSize(width: Int(answer.width), height: Int(answer.height))
        let isSame = answer.cursor_serial == serial && corner == self.corner && size == self.size
        guard !isSame else { return false }
        (self.corner, self.size, serial) = (corner, size, answer.cursor_serial)
        image = reply.numbers(size.pixelCount, UInt32.self) ?? []
        return true
    }

    /// Draws it.
    ///
    /// - Parameter pixels: The picture.
    func draw(into pixels: ScreenPixels) {
        let left = max(corner.x, 0)
        let top = max(corner.y, 0)
        let width = min(corner.x + size.width, pixels.size.width) - left
        let height = min(corner.y + size.height, pixels.size.height) - top
        guard width > 0, height > 0, !image.isEmpty else { return }
        image.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            let target = pixels.start + top * pixels.stride + left * 4
            _ = ARGBBlend(
                source + ((top - corner.y) * size.width + left - corner.x) * 4, Int32(size.width * 4), target,
                Int32(pixels.stride), target, Int32(pixels.stride), Int32(width), Int32(height))
        }
    }
}
