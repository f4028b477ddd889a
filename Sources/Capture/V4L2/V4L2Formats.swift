internal import CMulticamLinux
import MulticamMedia

/// V4L2 pixel format code: four ASCII characters, the first in the lowest byte.
struct FourCC: Hashable, Sendable {
    let code: UInt32

    init(_ code: UInt32) {
        self.code = code
    }

    /// Creates a code from its text.
    ///
    /// - Precondition: `text` has four ASCII characters.
    init(_ text: String) {
        precondition(text.utf8.count == 4, "a format code must have four characters")
        code = text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    static let planar420 = FourCC("YU12")

    /// Pixel format of the code; `nil` for codes that neither this program nor libv4lconvert can read.
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

    /// The code as text, without trailing spaces. Characters that aren't printable ASCII are replaced with `?`.
    var text: String {
        var text = ""
        for shift in [0, 8, 16, 24] {
            // The highest bit marks big-endian formats (V4L2_PIX_FMT_FLAG in `v4l2_fourcc_be`).
            let byte = UInt8(truncatingIfNeeded: code >> UInt32(shift)) & (shift == 24 ? 0x7f : 0xff)
            text.append((32..<127).contains(byte) ? Character(UnicodeScalar(byte)) : "?")
        }
        while text.hasSuffix(" ") { text.removeLast() }
        return text
    }

    /// Codes that only libv4lconvert can read: `supported_src_pixfmts` in libv4lconvert.c of v4l-utils 1.22.
    private static let convertible: Set<String> = [
        // RGB and gray
        "RGB3", "BGR3", "RGBP", "BGR4", "RGB4", "XR24", "BX24", "AR24", "BA24", "Y04", "Y06", "Y10B",
        "Y16",
        // YCbCr, including driver-specific layouts
        "YV12", "YVYU", "NV16", "NV61", "S501", "S505", "S508", "CITV", "KONI", "S920", "M420", "HM12",
        "CPIA",
        // JPEG without headers, and related formats
        "PJPG", "JPGL", "O511", "O518",
        // Bayer formats, plain and compressed
        "BA81", "GBRG", "GRBG", "RGGB", "S680", "pBAA", "pGAA", "pgAA", "pRAA", "BG10", "GB10", "BA10",
        "RG10", "BYR2",
        "GB16", "GR16", "RG16", "S561", "S910", "SONX", "P207", "M310", "JL20", "905C", "S401",
    ]
}

/// Converts the sizes and rates reported by drivers to lists for users.
enum FormatSteps {
    /// Common 16:9 and 4:3 sizes, in pixels.
    private static let common = [
        (320, 180), (320, 240), (640, 360), (640, 480), (800, 600), (960, 540), (1280, 720), (1920, 1080),
        (2560, 1440),
        (3840, 2160),
    ].map { FrameSize(width: $0.0, height: $0.1) }

    /// One dimension of a size range, with the values `minimum`, `minimum + step`, …, `maximum`.
    struct Side {
        let minimum: Int
        let maximum: Int
        /// Step in pixels; 1 for a continuous range.
        let step: Int

        init(_ minimum: UInt32, _ maximum: UInt32, step: UInt32) {
            self.minimum = Int(minimum)
            self.maximum = Int(maximum)
            self.step = max(Int(step), 1)
        }

        func contains(_ value: Int) -> Bool {
            value >= minimum && value <= maximum && (value - minimum) % step == 0
        }
    }

    /// Returns the common sizes within a range and on its steps, plus the smallest and the largest.
    static func sizes(width: Side, height: Side) -> [FrameSize] {
        let ends = [
            FrameSize(width: width.minimum, height: height.minimum),
            FrameSize(width: width.maximum, height: height.maximum),
        ]
        let inside = common.filter { width.contains($0.width) && height.contains($0.height) }
        return Set(inside + ends).filter { (1...16384).contains($0.width) && (1...16384).contains($0.height) }
            .sorted { ($0.pixelCount, $0.width) < ($1.pixelCount, $1.width) }
    }

    /// Returns the rate for an interval of `numerator / denominator` seconds; `nil` for invalid values,
    /// because some drivers return 0/0.
    ///
    /// UVC intervals are in units of 100 ns, so 30 frames per second become 333333 units. Such values are
    /// rounded to the intended rate.
    static func rate(ofInterval numerator: UInt32, _ denominator: UInt32) -> FrameRate? {
        guard numerator > 0, denominator > 0 else { return nil }
        if numerator <= 1001, denominator <= 1_000_000 {
            let perSecond = Double(denominator) / Double(numerator)
            guard perSecond >= 0.001, perSecond <= 1000 else { return nil }
            return FrameRate(Int64(denominator), per: Int64(numerator))
        }
        return FrameRate(Double(denominator) / Double(numerator))
    }

    /// Returns the rates for a range of intervals. If the range has steps, they are small enough to ignore.
    static func rates(shortest: v4l2_fract, longest: v4l2_fract) -> OfferedFormat.Rates? {
        // Some drivers report unusable ranges, from 1 ns to hours.
        let highest = rate(ofInterval: shortest.numerator, shortest.denominator) ?? FrameRate(1000, per: 1)
        let lowest = rate(ofInterval: longest.numerator, longest.denominator) ?? FrameRate(1, per: 1000)
        return lowest <= highest ? .any(from: lowest, through: highest) : nil
    }
}

/// Interprets the color fields of `v4l2_pix_format`.
enum V4L2Colors {
    /// Returns the color description of YCbCr frames, with the defaults of `V4L2_MAP_YCBCR_ENC_DEFAULT` and
    /// `V4L2_MAP_QUANTIZATION_DEFAULT`.
    static func description(colorspace: UInt32, encoding: UInt32, quantization: UInt32) -> ColorDescription {
        let matrix: ColorDescription.Matrix =
            switch encoding {
            case V4L2_YCBCR_ENC_DEFAULT.rawValue:
                colorspace == V4L2_COLORSPACE_REC709.rawValue || colorspace == V4L2_COLORSPACE_DCI_P3.rawValue
                    || isNearestTo709(colorspace: colorspace) ? .bt709 : .bt601
            case V4L2_YCBCR_ENC_709.rawValue, V4L2_YCBCR_ENC_XV709.rawValue,
                // `ColorDescription` doesn't cover BT.2020. Of the two supported matrices, BT.709 is closer
                // to BT.2020.
                V4L2_YCBCR_ENC_BT2020.rawValue, V4L2_YCBCR_ENC_BT2020_CONST_LUM.rawValue,
                V4L2_YCBCR_ENC_SMPTE240M.rawValue:
                .bt709
            default: .bt601
            }
        let range: ColorDescription.Range =
            switch quantization {
            case V4L2_QUANTIZATION_FULL_RANGE.rawValue: .full
            case V4L2_QUANTIZATION_LIM_RANGE.rawValue: .limited
            default: colorspace == V4L2_COLORSPACE_JPEG.rawValue ? .full : .limited
            }
        return ColorDescription(matrix: matrix, range: range)
    }

    private static func isNearestTo709(colorspace: UInt32) -> Bool {
        colorspace == V4L2_COLORSPACE_BT2020.rawValue || colorspace == V4L2_COLORSPACE_SMPTE240M.rawValue
    }
}
