import Media

/// One colour as 8-bit Y, Cb and Cr codes of a given matrix and range.
struct PaintColor: Sendable, Equatable {
    let y: UInt8
    let cb: UInt8
    let cr: UInt8

    /// Converts gamma-corrected red, green and blue of 0…1 (ITU-R BT.601 and BT.709, section 3; T.871 for full range).
    init(red: Double, green: Double, blue: Double, in color: ColorDescription) {
        let (kr, kb) = color.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let luma = kr * red + (1 - kr - kb) * green + kb * blue
        let blueDifference = (blue - luma) / (2 * (1 - kb))
        let redDifference = (red - luma) / (2 * (1 - kr))
        let isFull = color.range == .full
        y = Self.code(isFull ? 255 * luma : 16 + 219 * luma)
        cb = Self.code(128 + (isFull ? 255 : 224) * blueDifference)
        cr = Self.code(128 + (isFull ? 255 : 224) * redDifference)
    }

    init(_ light: (red: Double, green: Double, blue: Double), in color: ColorDescription) {
        self.init(red: light.red, green: light.green, blue: light.blue, in: color)
    }

    /// Makes a shade of grey: 0 black, 1 white.
    init(grey: Double, in color: ColorDescription) {
        self.init(red: grey, green: grey, blue: grey, in: color)
    }

    private static func code(_ value: Double) -> UInt8 { UInt8(rounding: value) }
}
