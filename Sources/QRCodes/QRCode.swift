internal import CMulticamQRCode

/// A QR code (ISO/IEC 18004).
package enum QRCode {
    /// Returns the modules of a text's QR code, row by row, without the quiet zone of four modules. `true`
    /// represents a black module. Returns an empty array if the text is too long.
    package static func modules(_ text: String) -> [[Bool]] {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return [] }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        // In each byte, the lowest bit is 1 for a black module (qrencode.h).
        return (0..<width).map { y in (0..<width).map { x in code.pointee.data[y * width + x] & 1 == 1 } }
    }

    /// Draws the QR code of a text for a terminal. Half-block characters represent two rows of modules per
    /// line. Returns an empty array if the text is too long.
    package static func lines(_ text: String) -> [String] {
        let modules = modules(text)
        let width = modules.count
        // Light modules are drawn, because most terminals have a dark background.
        func isLight(_ x: Int, _ y: Int) -> Bool {
            guard modules.indices.contains(x), modules.indices.contains(y) else { return true }
            return !modules[y][x]
        }
        guard width > 0 else { return [] }
        return stride(from: -2, to: width + 2, by: 2).map { y in
            String(
                (-2..<width + 2).map { x -> Character in
                    switch (isLight(x, y), isLight(x, y + 1)) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }
    }
}
