internal import CQRCode

/// A QR code as text for a terminal: two rows of the code in one line, by half blocks.
package enum QRCode {
    /// Draws a text; empty when it is too long for a code.
    package static func lines(_ text: String) -> [String] {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return [] }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        // The lowest bit of each byte is 1 for black (qrencode.h). Terminals are mostly dark: light modules are drawn.
        func isLight(_ x: Int, _ y: Int) -> Bool {
            guard (0..<width).contains(x), (0..<width).contains(y) else { return true }
            return code.pointee.data[y * width + x] & 1 == 0
        }
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
