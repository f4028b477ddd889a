/// Characters that change how a terminal or page displays other text. Like the code under test, the list
/// doesn't use Unicode's tables.
enum HarmfulScalars {
    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // These are the control characters of ASCII and Latin-1.
        case 0..<0x20, 0x7F..<0xA0: true
        // These are the soft hyphen, zero-width characters, directional marks and overrides, separators, the
        // byte order mark, and annotations.
        case 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB:
            true
        // These are private use characters and tags.
        case 0xE000...0xF8FF, 0xE0000...0xE007F, 0xF0000...0x10FFFF: true
        default: false
        }
    }
}
