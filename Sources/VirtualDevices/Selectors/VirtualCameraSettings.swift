public import Media

/// The settings of a synthetic camera, parsed from a selector `virtual:PATTERN?key=value&…`.
public struct VirtualCameraSettings: Sendable, Equatable {
    /// The test frame that a synthetic camera shows.
    public enum Pattern: Sendable, Equatable {
        /// A moving test frame with a code strip; white but for the strip where the exposure holds a clap.
        case clap
        /// Seven vertical 75 % bars: white, yellow, cyan, green, magenta, red, blue.
        case bars
        /// Four frames of grey noise in turn.
        case noise
        /// An image file, scaled to the camera's size.
        case still(path: String)
    }

    /// The selector as the user wrote it.
    public let selector: String
    /// The test frame that the camera shows.
    public let pattern: Pattern
    /// Width × height in pixels, both even and at least 16; `nil` where the role decides.
    public let size: FrameSize?
    /// Frames per second, 0.1…1000; `nil` where the role decides.
    public let rate: FrameRate?
    /// Pixel format: `mjpeg`, `yuyv`, `nv12`, `h264` or `grey`; `nil` where the role decides.
    public let pixel: PixelFormat?
    /// Share of the frames that arrive damaged, 0…1.
    public let corruptShare: Double
    /// How the camera is mounted: the clockwise rotation that turns the stored frame upright.
    public let mount: Rotation
    /// The side of the computer that the camera is built into and turns with; `unspecified` for a camera of its own.
    public let position: CaptureDevice.Position
    /// Names of the controls that the camera lacks.
    public let missingControls: Set<String>
    /// Clock errors, latency, faults and bus of the camera.
    public let behavior: DeviceBehavior

    static let pixelFormats: [PixelFormat] = [.mjpeg, .yuyv, .nv12, .h264, .grey]
    static let keys = [
        "size", "fps", "format", "phase", "drift", "latency", "jitter", "drop", "corrupt", "unplug", "replug",
        "stall",
        "mount", "position", "lacks", "bus", "seed",
    ]
    private static let stillPrefix = "still:"

    /// Parses a selector.
    ///
    /// - Parameter text: `virtual:PATTERN?key=value&…`.
    /// - Throws: `VirtualDeviceError.usage` for an unknown pattern or key, a missing value, or a value out of range.
    public init(selector text: String) throws(VirtualDeviceError) {
        let selector = try VirtualSelector(text, keys: Self.keys, kind: "camera")
        self.selector = text
        pattern = try Self.pattern(selector)
        size = try selector.value("size", "even sides of 16 to 16384 pixels, as in `size=1280x720`") { text in
            FrameSize(text).flatMap { Self.isPossible($0) ? $0 : nil }
        }
        rate = try selector.value("fps", "a rate from 0.1 to 1000, as in `fps=30` or `fps=29.97`") { text in
            FrameRate(text).flatMap { Self.isPossible($0) ? $0 : nil }
        }
        let formats = Self.pixelFormats.map(\.rawValue).joined(separator: ", ")
        pixel = try selector.value("format", "one of \(formats)") { text in
            Self.pixelFormats.first { $0.rawValue == text }
        }
        corruptShare = try selector.share("corrupt")
        mount =
            try selector.value("mount", "0, 90, 180 or 270") { text in
                Int(text).flatMap { Rotation(rawValue: $0) }
            }
            ?? .none
        position =
            try selector.value("position", "front or back") { text in
                CaptureDevice.Position(rawValue: text).flatMap { $0 == .unspecified ? nil : $0 }
            } ?? .unspecified
        let names = VirtualControls.names
        missingControls =
            try selector.value("lacks", "some of \(names.joined(separator: ", "))") { text in
                let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                return words.allSatisfy(names.contains) ? Set(words) : nil
            } ?? []
        behavior = try DeviceBehavior(selector)
    }

    /// The format that the camera delivers: the selector's values, else those of `wanted` that a synthetic camera can
    /// have, else `mjpeg` 1280×720 at 30 frames per second.
    public func format(wanted: VideoFormat?) -> VideoFormat {
        let asked = wanted.map(\.pixel).flatMap { Self.pixelFormats.contains($0) ? $0 : nil }
        let askedSize = wanted.map(\.size).flatMap { Self.isPossible($0) ? $0 : nil }
        let askedRate = wanted.map(\.rate).flatMap { Self.isPossible($0) ? $0 : nil }
        return VideoFormat(
            pixel: pixel ?? asked ?? .mjpeg, size: size ?? askedSize ?? FrameSize(width: 1280, height: 720),
            rate: rate ?? askedRate ?? FrameRate(30))
    }

    /// The formats that the camera offers: `format`, and the smaller sizes and lower rates of webcams where the
    /// selector leaves them open.
    func offers(beside format: VideoFormat) -> [OfferedFormat] {
        let rates = [format.rate] + (rate == nil ? Self.usualRates.filter { $0 < format.rate } : [])
        let smaller = Self.usualSizes.filter { $0.pixelCount < format.size.pixelCount }
        return ([format.size] + (size == nil ? smaller : [])).map {
            OfferedFormat(pixel: format.pixel, size: $0, rates: .listed(rates))
        }
    }

    private static let usualSizes = [
        (1920, 1080), (1280, 720), (960, 540), (640, 480), (640, 360), (320, 240),
    ]
    .map { FrameSize(width: $0, height: $1) }
    private static let usualRates: [FrameRate] = [60, 30, 24, 20, 15, 10, 5].map { FrameRate($0) }

    /// Whether both sides are even, as 4:2:0 and 4:2:2 need, and at least 16 pixels, as the code strip needs.
    private static func isPossible(_ size: FrameSize) -> Bool {
        size.width >= 16 && size.height >= 16 && size.width % 2 == 0 && size.height % 2 == 0
    }

    private static func isPossible(_ rate: FrameRate) -> Bool {
        rate >= FrameRate(1, per: 10) && rate <= FrameRate(1000) && rate.frames <= 10_000_000
            && rate.seconds <= 10_000_000
    }

    private static func pattern(_ selector: VirtualSelector) throws(VirtualDeviceError) -> Pattern {
        switch selector.pattern {
        case "clap": return .clap
        case "bars": return .bars
        case "noise": return .noise
        case let text where text.hasPrefix(stillPrefix) && text.count > stillPrefix.count:
            return .still(path: String(text.dropFirst(stillPrefix.count)))
        default:
            throw .usage(
                selector: selector.text,
                explanation: "`\(selector.pattern.printable())` is no pattern of a virtual camera. "
                    + "It shows clap, bars, noise or still:<image file>.")
        }
    }
}
