import Media

extension UVCHeaderClock {
    /// Bytes before a header in a metadata buffer: the driver's clock and the controller's frame number (`struct
    /// uvc_meta_buf` in linux/uvcvideo.h, packed).
    private static let prefix = 10
    /// Bit of the header's flags that announces a presentation time (UVC 1.5, table 2-5).
    private static let hasPresentationTime: UInt8 = 1 << 2
    /// Bit of the header's flags that announces a source clock (UVC 1.5, table 2-5).
    private static let hasSourceClock: UInt8 = 1 << 3

    /// Reads the first header of a buffer in the format UVCH: that of the frame's first packet. Later headers repeat
    /// its presentation time, with other clocks.
    ///
    /// - Returns: `nil` for a buffer that holds no whole header.
    init?(firstOf buffer: UnsafeRawBufferPointer) {
        guard buffer.count >= Self.prefix + 2 else { return nil }
        // The length is that of the camera's header; the driver copies only the fields that the flags announce.
        let (length, flags) = (Int(buffer[10]), buffer[11])
        let fields = UnsafeRawBufferPointer(rebasing: buffer[(Self.prefix + 2)...])
        var position = 0
        func take(_ count: Int) -> Int? {
            guard position + count <= fields.count, 2 + position + count <= length else { return nil }
            defer { position += count }
            return position
        }
        var presentationTime: UInt32?
        if flags & Self.hasPresentationTime != 0 {
            guard let at = take(4) else { return nil }
            presentationTime = UInt32(littleEndian: fields.loadUnaligned(fromByteOffset: at, as: UInt32.self))
        }
        var sourceClock: UInt32?
        var busFrame: UInt16?
        if flags & Self.hasSourceClock != 0 {
            guard let at = take(6) else { return nil }
            sourceClock = UInt32(littleEndian: fields.loadUnaligned(fromByteOffset: at, as: UInt32.self))
            // Eleven bits; the others are reserved.
            busFrame =
                UInt16(littleEndian: fields.loadUnaligned(fromByteOffset: at + 4, as: UInt16.self)) & 0x7FF
        }
        // The driver's own fields are in the machine's order.
        self.init(
            presentationTime: presentationTime, sourceClock: sourceClock, busFrame: busFrame,
            hostTime: ClockTime(
                nanoseconds: Int64(bitPattern: buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self))),
            hostFrame: buffer.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
    }
}
