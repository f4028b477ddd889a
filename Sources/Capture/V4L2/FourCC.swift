import Media

/// A pixel format's code as V4L2 writes it: four ASCII characters, the first in the lowest byte.
struct FourCC: Hashable, Sendable {
    let code: UInt32

    init(_ code: UInt32) {
        self.code = code
    }

    /// Makes a code from its text.
    ///
    /// - Precondition: `text` has four ASCII characters.
    init(_ text: String) {
        precondition(text.utf8.count == 4, "a format code has four characters")
        code = text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    static let planar420 = FourCC("YU12")

    /// The pixel format of the code; `nil` for codes that neither this program nor libv4lconvert can read.
    var pixel: PixelFormat? {
        switch text {
        case "MJPG", "JPEG": .mjpeg
        case "YUYV": .yuyv
        case "UYVY": .uyvy
        case "NV12": .nv12
        case "H264": .h264
        case "GREY": .grey
        case "YU12": .i420
        default: Self.convertible.contains(text) ? .converted : nil
        }
    }

    /// The code as text, without spaces at its end, and with `?` for what is no printable ASCII character.
    var text: String {
        var text = ""
        for shift in [0, 8, 16, 24] {
            // The highest bit says big-endian (V4L2_PIX_FMT_FLAG in `v4l2_fourcc_be`).
            let byte = UInt8(truncatingIfNeeded: code >> UInt32(shift)) & (shift == 24 ? 0x7f : 0xff)
            text.append((32..<127).contains(byte) ? Character(UnicodeScalar(byte)) : "?")
        }
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }

    /// Codes that libv4lconvert reads besides those that this program reads itself: `supported_src_pixfmts` in
    /// libv4lconvert.c of v4l-utils 1.22.
    private static let convertible: Set<String> = [
        // RGB and grey
        "RGB3", "BGR3", "RGBP", "BGR4", "RGB4", "XR24", "BX24", "AR24", "BA24", "Y04", "Y06", "Y10B",
        "Y16",
        // YCbCr, also in drivers' own orders
        "YV12", "YVYU", "NV16", "NV61", "S501", "S505", "S508", "CITV", "KONI", "S920", "M420", "HM12",
        "CPIA",
        // JPEG without its headers, and its relatives
        "PJPG", "JPGL", "O511", "O518",
        // The sensor's own mosaic, plain and compressed
        "BA81", "GBRG", "GRBG", "RGGB", "S680", "pBAA", "pGAA", "pgAA", "pRAA", "BG10", "GB10", "BA10",
        "RG10", "BYR2",
        "GB16", "GR16", "RG16", "S561", "S910", "SONX", "P207", "M310", "JL20", "905C", "S401",
    ]
}
