/// Frame rate as an exact fraction in lowest terms: `frames` frames in `seconds` seconds.
public struct FrameRate: Sendable, Hashable, Comparable, Codable {
    /// Number of frames in `seconds` seconds; positive, with no common divisor with `seconds`.
    public let frames: Int64
    /// Number of seconds that `frames` frames take; positive, and 1 for a whole-number rate such as 30.
    public let seconds: Int64

    /// Keys of the encoded frame rate. The property `frames` uses the key `pictures` for compatibility with
    /// files from earlier versions.
    private enum CodingKeys: String, CodingKey {
        case frames = "pictures"
        case seconds
    }

    /// Creates a frame rate of `frames` frames in `seconds` seconds, reduced to lowest terms.
    ///
    /// - Precondition: Both numbers are positive.
    public init(_ frames: Int64, per seconds: Int64 = 1) {
        precondition(frames > 0 && seconds > 0, "both terms of a frame rate must be positive")
        var (a, b) = (frames, seconds)
        while b != 0 { (a, b) = (b, a % b) }
        self.frames = frames / a
        self.seconds = seconds / a
    }

    /// Parses a frame rate as written by users and drivers: `30`, `29.97`, `7.5`, `30000/1001`.
    ///
    /// Rates within 0.02 % of n · 1000/1001 are converted to exactly that fraction (29.97, 59.94, 23.976;
    /// SMPTE ST 12-1).
    /// - Returns: The frame rate; `nil` unless the text is a rate above 0 and at most 1000.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard let a = Int64(parts[0]), let b = Int64(parts[1]), (1...Self.largestTerm).contains(a),
                (1...Self.largestTerm).contains(b), a <= 1000 * b
            else { return nil }
            self.init(a, per: b)
            return
        }
        guard let value = Double(text) else { return nil }
        self.init(value)
    }

    /// Creates the exact frame rate for a decimal number of frames per second.
    ///
    /// Numbers within 0.02 % of n · 1000/1001 are converted to that fraction; other numbers are rounded to
    /// thousandths.
    /// - Returns: The frame rate; `nil` unless the number is from 0.001 to 1000.
    package init?(_ value: Double) {
        guard value.isFinite, value >= 0.001, value <= 1000 else { return nil }
        let whole = value.rounded()
        if abs(value - whole) < 1e-9 {
            self.init(Int64(whole))
            return
        }
        let nominal = (value * 1.001).rounded()
        if nominal > 0, abs(nominal / 1.001 - value) / value < 0.0002 {
            self.init(Int64(nominal) * 1000, per: 1001)
            return
        }
        self.init(Int64(rounding: value * 1000), per: 1000)
    }

    /// Decodes the frame rate from the fraction that `encode` writes.
    ///
    /// - Throws: `DecodingError` if the fraction isn't a rate above 0 and at most 1000, for example in an
    ///   edited file. Such a fraction would make later arithmetic divide by zero or overflow.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let frames = try values.decode(Int64.self, forKey: .frames)
        let seconds = try values.decode(Int64.self, forKey: .seconds)
        guard (1...Self.largestTerm).contains(frames), (1...Self.largestTerm).contains(seconds),
            frames <= 1000 * seconds
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .frames, in: values,
                debugDescription: "\(frames) frames in \(seconds) s is not a valid frame rate")
        }
        self.init(frames, per: seconds)
    }

    /// Largest numerator and denominator of a frame rate accepted from external input. The product of two
    /// such numbers fits into 64 bits.
    private static let largestTerm: Int64 = 1_000_000_000

    /// Frames per second as a floating-point number, for example 29.97.
    public var perSecond: Double { Double(frames) / Double(seconds) }

    /// Time between two consecutive frames, rounded to the nearest nanosecond.
    public var interval: Nanoseconds {
        Nanoseconds(seconds.rescaled(from: frames, to: 1_000_000_000))
    }

    /// Returns the time of tick `index` relative to the start of the frame grid. The time is rounded to the
    /// nearest nanosecond and clamped to 64 bits.
    package func time(ofTick index: Int64) -> MediaTime {
        MediaTime(nanoseconds: index.rescaled(from: frames, to: seconds * 1_000_000_000))
    }

    /// Returns the number of ticks that begin before `time`: ceil(time · rate), at least 0.
    package func ticks(before time: MediaTime) -> Int64 {
        guard time.nanoseconds > 0 else { return 0 }
        // The computed count can be off by one because ticks are rounded to whole nanoseconds. The comparison
        // with the exact grid corrects the error.
        var count = time.nanoseconds.rescaled(from: seconds * 1_000_000_000, to: frames)
        while count > 0, self.time(ofTick: count - 1) >= time { count -= 1 }
        while count < .max, self.time(ofTick: count) < time { count += 1 }
        return count
    }

    /// Whether the left frame rate is lower than the right frame rate, compared as exact fractions.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.frames * rhs.seconds < rhs.frames * lhs.seconds
    }
}

extension FrameRate: CustomStringConvertible {
    /// The frame rate in frames per second with at most three decimal places: `30`, `29.97`, `7.5`.
    public var description: String {
        if seconds == 1 { return "\(frames)" }
        let thousandths = Int64(rounding: perSecond * 1000)
        var text = "\(thousandths / 1000)."
        let fraction = String(thousandths % 1000)
        text += String(repeating: "0", count: 3 - fraction.count) + fraction
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
