/// Format of a camera's frames: pixel format, size, and rate.
public struct VideoFormat: Sendable, Hashable, Codable {
    /// Pixel format of the frames.
    public let pixel: PixelFormat
    /// Size of the stored frames in pixels.
    public let size: FrameSize
    /// The nominal frame rate, as requested and granted. The clock model provides the measured rate.
    public let rate: FrameRate

    /// Creates a video format from its pixel format, size, and rate.
    public init(pixel: PixelFormat, size: FrameSize, rate: FrameRate) {
        self.pixel = pixel
        self.size = size
        self.rate = rate
    }
}

extension VideoFormat: CustomStringConvertible {
    /// The format in readable form: `mjpeg 1280x720 at 30`.
    public var description: String { "\(pixel.rawValue) \(size) at \(rate)" }
}

/// Memory layout or compression of a frame.
public enum PixelFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// A complete JPEG file per frame.
    case mjpeg
    /// One H.264 access unit per frame, as an Annex B byte stream.
    case h264
    /// Packed 4:2:2, one plane: Y0 Cb Y1 Cr.
    case yuyv
    /// Packed 4:2:2, one plane: Cb Y0 Cr Y1.
    case uyvy
    /// 4:2:0, two planes: Y, and interleaved Cb and Cr at half width and height.
    case nv12
    /// 4:2:0, three planes: Y, and Cb and Cr at half width and height.
    case i420
    /// 4:2:2, three planes: Y, and Cb and Cr at half width.
    case i422
    /// Packed, one plane: blue, green, red, alpha.
    case bgra
    /// One plane of luma, from infrared and other monochrome cameras.
    case grey
    /// Native format of an old webcam. libv4lconvert converts such frames to I420 before they are delivered.
    case converted

    /// Whether a frame must be decoded before its pixels can be read: MJPEG and H.264.
    public var isCompressed: Bool { self == .mjpeg || self == .h264 }
}

/// Interpretation of Y, Cb, and Cr as colors: matrix and range.
public struct ColorDescription: Sendable, Hashable, Codable {
    /// Coefficients of the luma equation.
    public enum Matrix: String, Sendable, Hashable, Codable {
        /// ITU-R BT.601: Kr 0.299, Kb 0.114; used by JFIF and webcams.
        case bt601
        /// ITU-R BT.709: Kr 0.2126, Kb 0.0722.
        case bt709
    }

    /// Code values for black and white.
    public enum Range: String, Sendable, Hashable, Codable {
        /// Y 16…235, Cb and Cr 16…240.
        case limited
        /// Y, Cb, and Cr 0…255.
        case full
    }

    /// Coefficients of the luma equation.
    public let matrix: Matrix
    /// Code values for black and white.
    public let range: Range

    /// Creates a color description from a matrix and a range.
    public init(matrix: Matrix, range: Range) {
        self.matrix = matrix
        self.range = range
    }

    /// BT.601, full range: the colors of the JPEG File Interchange Format (ITU-T T.871).
    public static let jpeg = Self(matrix: .bt601, range: .full)
    /// BT.601, limited range.
    public static let bt601Limited = Self(matrix: .bt601, range: .limited)
    /// BT.709, limited range.
    public static let bt709Limited = Self(matrix: .bt709, range: .limited)
}

/// Pixel format and size that a camera offers, with the available frame rates.
public struct OfferedFormat: Sendable, Hashable, Codable {
    /// Frame rates that a camera offers for one size. Drivers report a list or a range.
    public enum Rates: Sendable, Hashable, Codable {
        /// List of the offered rates.
        case listed([FrameRate])
        /// Range of offered rates.
        case any(from: FrameRate, through: FrameRate)
    }

    /// Pixel format of the frames.
    public let pixel: PixelFormat
    /// The driver's name for the format if it is more specific than `pixel`, for example `S910`; otherwise
    /// the raw value of `pixel`.
    package let nativeName: String
    /// Frame size in pixels.
    public let size: FrameSize
    /// Frame rates offered at this size.
    public let rates: Rates

    /// Creates an offered format; without `nativeName`, the raw value of `pixel` is used as its name.
    package init(pixel: PixelFormat, nativeName: String? = nil, size: FrameSize, rates: Rates) {
        self.pixel = pixel
        self.nativeName = nativeName ?? pixel.rawValue
        self.size = size
        self.rates = rates
    }

    /// Whether the frames are monochrome. For formats that need conversion, the result depends on the
    /// kernel's format name.
    package var isGray: Bool {
        pixel == .grey || (pixel == .converted && ["Y04", "Y06", "Y10B", "Y16"].contains(nativeName))
    }

    /// Highest offered rate; `nil` if no rate is offered.
    public var highestRate: FrameRate? {
        switch rates {
        case .listed(let rates): rates.max()
        case .any(_, let highest): highest
        }
    }

    /// Returns the lowest offered rate that is at least the requested rate, or the highest rate if all
    /// offered rates are lower. Returns `nil` if no rate is offered.
    package func rate(for wanted: FrameRate) -> FrameRate? { rates.rate(for: wanted) }
}

extension OfferedFormat.Rates {
    /// Returns the lowest rate that is at least the requested rate within 0.2 %, or the highest rate if all
    /// rates are lower. Returns `nil` for an empty list.
    package func rate(for wanted: FrameRate) -> FrameRate? {
        switch self {
        case .listed(let rates):
            // Some cameras report a rate of 29.97 as 30, and others report 30 as 29.97. Rates that differ by
            // at most 0.2 % are therefore treated as equal.
            rates.filter { $0.perSecond >= wanted.perSecond * 0.998 }.min() ?? rates.max()
        case .any(let lowest, let highest):
            min(max(wanted, lowest), highest)
        }
    }
}

extension [OfferedFormat] {
    /// The formats in order of increasing frame size; formats of the same size stay in their original order.
    var byIncreasingSize: Self {
        enumerated().sorted { one, other in
            let (size, otherSize) = (one.element.size, other.element.size)
            return (size.pixelCount, size.width, one.offset)
                < (otherSize.pixelCount, otherSize.width, other.offset)
        }.map(\.element)
    }
}

extension OfferedFormat: CustomStringConvertible {
    /// The format in readable form: `mjpeg 1280x720 at 30/15`.
    public var description: String {
        switch rates {
        case .listed(let rates):
            "\(nativeName) \(size) at \(rates.sorted(by: >).map(\.description).joined(separator: "/"))"
        case .any(let lowest, let highest):
            "\(nativeName) \(size) at \(lowest)–\(highest)"
        }
    }
}
