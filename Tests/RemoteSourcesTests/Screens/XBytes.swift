/// Bytes that X servers send, with numbers in native byte order.
enum XBytes {
    static func two(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }
    static func four(_ value: Int) -> [UInt8] { two(value & 0xFFFF) + two(value >> 16 & 0xFFFF) }
    static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    /// Returns a reply to a request.
    ///
    /// - Parameters:
    ///   - data: The second byte of the reply.
    ///   - fixed: The bytes from byte 8 on, padded with zeros up to byte 32.
    ///   - rest: The bytes after the fixed part.
    /// - Returns: The bytes of the reply, without the sequence number.
    static func reply(data: UInt8 = 0, _ fixed: [UInt8], rest: [UInt8] = []) -> [UInt8] {
        let body = fixed + zeros(max(24 - fixed.count, 0)) + rest
        return [1, data] + two(0) + four((body.count - 24) / 4) + body
    }

    /// Returns a server's reply to the connection setup, with one screen and visual 33.
    static func setup(
        depth: UInt8 = 24, bits: UInt8 = 32, masks: (Int, Int, Int) = (0xFF0000, 0xFF00, 0xFF),
        size: (width: Int, height: Int) = (640, 360), screens: UInt8 = 1, visuals: Int = 1
    ) -> [UInt8] {
        let screen =
            four(0x100) + four(0x20) + four(0xFFFFFF) + four(0) + four(0) + two(size.width) + two(size.height)
            + two(160) + two(90) + two(1) + two(1) + four(33) + [0, 0, depth, 1]
        let visual = four(33) + [4, 8] + two(256) + four(masks.0) + four(masks.1) + four(masks.2) + four(0)
        let body =
            four(1) + four(0x200000) + four(0x1FFFFF) + four(0) + two(5) + two(65535)
            + [screens, 1, 0, 0, 32, 32, 8, 255] + four(0) + Array("liar!".utf8) + zeros(3)
            + [depth, bits, 32] + zeros(5) + screen + [depth, 0] + two(visuals) + four(0) + visual
        return [1, 0] + two(11) + two(0) + two(body.count / 4) + body
    }
}
