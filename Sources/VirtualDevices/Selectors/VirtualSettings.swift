package import MulticamMedia

/// The settings of a synthetic camera, parsed from a `virtual:PATTERN?key=value&…` selector.
package struct VirtualCameraSettings: Sendable, Equatable {
    /// The test frame of a synthetic camera.
    package enum Pattern: Sendable, Equatable {
        /// A moving test frame with a code strip. If the exposure contains a clap, all pixels outside the strip are
        /// white.
        case clap
        /// The frame consists of seven vertical 75 % bars: white, yellow, cyan, green, magenta, red, and blue.
        case bars
        /// Four frames of gray noise are shown in turn.
        case noise
        /// An image file is scaled to the camera's size.
        case still(path: String)
        /// A drawn person who takes part in a conversation.
        case people
    }

    /// The selector as the user wrote it.
    package let selector: String
    /// The camera's test frame.
    package let pattern: Pattern
    /// Width × height in pixels, both even and at least 16; `nil` to use the role's value.
    package let size: FrameSize?
    /// Frames per second, 0.1…1000; `nil` to use the role's value.
    package let rate: FrameRate?
    /// Frames per second that the camera delivers, 0.1…1000; `nil` to use the rate that it announces.
    package let actualRate: FrameRate?
    /// Pixel format: `mjpeg`, `yuyv`, `nv12`, `h264`, or `grey`; `nil` to use the role's value.
    package let pixel: PixelFormat?
    /// Fraction of the frames that arrive damaged, 0…1.
    package let corruptShare: Double
    /// Mounting of the camera: the clockwise rotation that turns the stored frame upright.
    package let mount: Rotation
    /// For a built-in camera, the side of the computer on which it is mounted and with which it rotates; `unspecified`
    /// for an external camera.
    package let position: CaptureDevice.Position
    /// Names of the controls that the camera doesn't have.
    package let missingControls: Set<String>
    /// Number of the person in `people`, 1…4; `nil` to derive it from the role.
    package let person: Int?
    /// Number of people who speak in turns in `people`, 1…4; 2 by default.
    package let speakers: Int
    /// Clock errors, latency, faults, and bus of the camera.
    package let behavior: DeviceBehavior

    static let pixelFormats: [PixelFormat] = [.mjpeg, .yuyv, .nv12, .h264, .grey]
    static let keys = [
        "size", "fps", "format", "actual_fps", "phase", "drift", "latency", "jitter", "drop", "corrupt",
        "unplug", "replug",
        "stall",
        "mount", "position", "lacks", "person", "speakers", "bus", "seed",
    ]
    private static let stillPrefix = "still:"

    /// Parses a camera's selector.
    ///
    /// - Parameter text: A selector with the form `virtual:PATTERN?key=value&…`.
    /// - Throws: `VirtualDeviceError.usage` for an unknown pattern or key, a missing value, or a value that is out of
    ///   range.
    package init(selector text: String) throws(VirtualDeviceError) {
        let selector = try VirtualSelector(text, keys: Self.keys, kind: "camera")
        self.selector = text
        pattern = try Self.pattern(selector)
        size = try selector.value(
            "size", "an even width and height from 16 to 16384 pixels, for example `size=1280x720`"
        ) { text in
            FrameSize(text).flatMap { Self.isPossible($0) ? $0 : nil }
        }
        rate = try Self.rate("fps", selector)
        actualRate = try Self.rate("actual_fps", selector)
        let formats = Self.pixelFormats.map(\.rawValue).joined(separator: ", ")
        pixel = try selector.value("format", "one of \(formats)") { text in
            Self.pixelFormats.first { $0.rawValue == text }
        }
        corruptShare = try selector.share("corrupt")
        mount =
            try selector.value("mount", "0, 90, 180, or 270") { text in
                Int(text).flatMap { Rotation(rawValue: $0) }
            }
            ?? .none
        position =
            try selector.value("position", "front or back") { text in
                CaptureDevice.Position(rawValue: text).flatMap { $0 == .unspecified ? nil : $0 }
            } ?? .unspecified
        let names = VirtualControls.names
        missingControls =
            try selector.value("lacks", "one or more of \(names.joined(separator: ", "))") { text in
                let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                return words.allSatisfy(names.contains) ? Set(words) : nil
            } ?? []
        (person, speakers) = try selector.conversation()
        behavior = try DeviceBehavior(selector)
    }

    /// Returns the format that the camera delivers. Each property is taken from the selector if the selector
    /// sets it, or otherwise from `wanted` if a synthetic camera supports the requested value. The default is
    /// `mjpeg` 1280×720 at 30 frames per second.
    package func format(wanted: VideoFormat?) -> VideoFormat {
        let asked = wanted.map(\.pixel).flatMap { Self.pixelFormats.contains($0) ? $0 : nil }
        let askedSize = wanted.map(\.size).flatMap { Self.isPossible($0) ? $0 : nil }
        let askedRate = wanted.map(\.rate).flatMap { Self.isPossible($0) ? $0 : nil }
        return VideoFormat(
            pixel: pixel ?? asked ?? .mjpeg, size: size ?? askedSize ?? FrameSize(width: 1280, height: 720),
            rate: rate ?? askedRate ?? FrameRate(30))
    }

    /// Returns the formats that the camera offers. The result contains `format`. If the selector doesn't set
    /// the size or the rate, the result also contains smaller sizes or lower rates that are common for
    /// webcams.
    func offers(beside format: VideoFormat) -> [OfferedFormat] {
        let rates = [format.rate] + (rate == nil ? Self.standardRates.filter { $0 < format.rate } : [])
        let smaller = Self.standardSizes.filter { $0.pixelCount < format.size.pixelCount }
        return ([format.size] + (size == nil ? smaller : [])).map {
            OfferedFormat(pixel: format.pixel, size: $0, rates: .listed(rates))
        }
    }

    private static let standardSizes = [
        (1920, 1080), (1280, 720), (960, 540), (640, 480), (640, 360), (320, 240),
    ]
    .map { FrameSize(width: $0, height: $1) }
    private static let standardRates: [FrameRate] = [60, 30, 24, 20, 15, 10, 5].map { FrameRate($0) }

    /// Returns whether both dimensions are even, as 4:2:0 and 4:2:2 require, and at least 16 pixels, as the code strip
    /// requires.
    private static func isPossible(_ size: FrameSize) -> Bool {
        size.width >= 16 && size.height >= 16 && size.width % 2 == 0 && size.height % 2 == 0
    }

    private static func isPossible(_ rate: FrameRate) -> Bool {
        rate >= FrameRate(1, per: 10) && rate <= FrameRate(1000) && rate.frames <= 10_000_000
            && rate.seconds <= 10_000_000
    }

    private static func rate(
        _ key: String, _ selector: VirtualSelector
    ) throws(VirtualDeviceError) -> FrameRate? {
        try selector.value(key, "a rate from 0.1 to 1000, for example `\(key)=30` or `\(key)=29.97`") {
            text in
            FrameRate(text).flatMap { isPossible($0) ? $0 : nil }
        }
    }

    private static func pattern(_ selector: VirtualSelector) throws(VirtualDeviceError) -> Pattern {
        switch selector.pattern {
        case "clap": return .clap
        case "bars": return .bars
        case "noise": return .noise
        case "people": return .people
        case let text where text.hasPrefix(stillPrefix) && text.count > stillPrefix.count:
            return .still(path: String(text.dropFirst(stillPrefix.count)))
        default:
            throw .usage(
                selector: selector.text,
                explanation: "unknown pattern `\(selector.pattern.printable())` of a virtual camera. "
                    + "Available: clap, bars, noise, still:<image file>, people.")
        }
    }
}

/// The settings of a synthetic microphone, parsed from a `virtual:PATTERN?key=value&…` selector.
package struct VirtualMicrophoneSettings: Sendable, Equatable {
    /// The audio signal of a synthetic microphone.
    package enum Pattern: String, Sendable, CaseIterable {
        /// A 1 kHz beep of 40 ms at each clap, with amplitude 0.5 and phase 0.
        case clap
        /// A continuous 1 kHz tone with amplitude 0.5, whose phase is 0 at each clap.
        case tone
        case silence
        /// Synthesized speech of a conversation.
        case people
    }

    /// The selector as the user wrote it.
    package let selector: String
    /// The microphone's audio signal.
    package let pattern: Pattern
    /// Sample rate of 8000…192 000 Hz (default 48 000), and 1…8 channels (default 1).
    package let format: AudioFormat
    /// Number of the person in front of the microphone in `people`, 1…4; `nil` if all people are equally loud.
    package let person: Int?
    /// Number of people who speak in turns in `people`, 1…4; 2 by default.
    package let speakers: Int
    /// Clock errors, latency, faults, and bus of the microphone.
    package let behavior: DeviceBehavior

    static let keys = [
        "rate", "channels", "phase", "drift", "latency", "jitter", "drop", "unplug", "replug", "stall",
        "person",
        "speakers", "bus", "seed",
    ]

    /// Parses a microphone's selector.
    ///
    /// - Parameter text: A selector with the form `virtual:PATTERN?key=value&…`.
    /// - Throws: `VirtualDeviceError.usage` for an unknown pattern or key, a missing value, or a value that is out of
    ///   range.
    package init(selector text: String) throws(VirtualDeviceError) {
        let selector = try VirtualSelector(text, keys: Self.keys, kind: "microphone")
        self.selector = text
        guard let pattern = Pattern(rawValue: selector.pattern) else {
            let names = Pattern.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage(
                selector: text,
                explanation:
                    "unknown pattern `\(selector.pattern.printable())` of a virtual microphone. Available: \(names)."
            )
        }
        self.pattern = pattern
        let rate = try selector.number(
            "rate", "samples per second from 8000 to 192000", digits: 0, in: 8000...192_000)
        let channels = try selector.number("channels", "1 to 8", digits: 0, in: 1...8)
        format = AudioFormat(rate: Int(rate ?? 48_000), channels: Int(channels ?? 1))
        (person, speakers) = try selector.conversation()
        behavior = try DeviceBehavior(selector)
    }
}
