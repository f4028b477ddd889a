public import Media

/// What a selector `virtual:PATTERN?key=value&…` asks of a camera.
public struct VirtualCameraSettings: Sendable, Equatable {
    public enum Pattern: Sendable, Equatable {
        /// A moving test frame with a code strip; white but for the strip where the exposure holds a clap.
        case clap
        /// Seven vertical 75 % bars: white, yellow, cyan, green, magenta, red, blue.
        case bars
        case noise
        /// An image file.
        case still(path: String)
    }

    /// As it was written.
    public let selector: String
    public let pattern: Pattern
    /// `nil` where the role decides.
    public let size: FrameSize?
    public let rate: FrameRate?
    public let pixel: PixelFormat?
    /// 0…1 of the frames arrive damaged.
    public let corruptShare: Double
    /// Turns the stored frame clockwise to be seen upright: what the camera is turned by.
    public let mount: Rotation
    /// Where it looks, as a part of the computer, with which it then turns; `unspecified` for a camera of its own.
    public let position: CaptureDevice.Position
    /// Names of the controls that it does not have.
    public let missingControls: Set<String>
    public let behavior: DeviceBehavior

    static let pixelFormats: [PixelFormat] = [.mjpeg, .yuyv, .nv12, .h264, .grey]
    static let keys = [
        "size", "fps", "format", "phase", "drift", "latency", "jitter", "drop", "corrupt", "unplug", "replug",
        "stall",
        "mount", "position", "lacks", "bus", "seed",
    ]
    private static let stillPrefix = "still:"

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

    /// What the camera delivers: what the selector says, else what the role asks, else 1280×720 at 30 in JPEGs.
    public func format(wanted: VideoFormat?) -> VideoFormat {
        let asked = wanted.map(\.pixel).flatMap { Self.pixelFormats.contains($0) ? $0 : nil }
        let askedSize = wanted.map(\.size).flatMap { Self.isPossible($0) ? $0 : nil }
        let askedRate = wanted.map(\.rate).flatMap { Self.isPossible($0) ? $0 : nil }
        return VideoFormat(
            pixel: pixel ?? asked ?? .mjpeg, size: size ?? askedSize ?? FrameSize(width: 1280, height: 720),
            rate: rate ?? askedRate ?? FrameRate(30))
    }

    /// What it can deliver beside a format: the sizes and rates of webcams below it, where the selector leaves them open.
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

    /// Even sides, as 4:2:0 and 4:2:2 need, and not less than the code strip's sixteenth.
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
