public import Media

/// A format for all cameras of a set alike, as far as each offers it: one row of the table of sets.
public struct StressGrade: Sendable, Equatable {
    /// `as asked`, `best compressed`, `up to 720p30 raw`.
    public let name: String
    /// By role; cameras without such a format are left out.
    public let formats: [String: VideoFormat]

    public init(name: String, formats: [String: VideoFormat]) {
        self.name = name
        self.formats = formats
    }

    public static let asAsked = "as asked"

    private static let heights = [1080, 720, 480]
    private static let rate: FrameRate = FrameRate(30)

    /// The grades worth trying, each with other formats: as the profile asks, then compressed and raw ones from the best down.
    ///
    /// - Parameter offers: Of each camera.
    /// - Returns: At least one.
    public static func all(_ offers: [StressOffer]) -> [StressGrade] {
        var grades = [
            StressGrade(
                name: asAsked,
                formats: Dictionary(uniqueKeysWithValues: offers.map { ($0.role, $0.asked) }))
        ]
        func add(_ name: String, _ choose: (StressOffer) -> VideoFormat?) {
            var formats: [String: VideoFormat] = [:]
            for offer in offers { formats[offer.role] = choose(offer) }
            guard !formats.isEmpty, !grades.contains(where: { $0.formats == formats }) else { return }
            grades.append(StressGrade(name: name, formats: formats))
        }
        for (word, isCompressed) in [("compressed", true), ("raw", false)] {
            add("best \(word)") { best($0.modes(compressed: isCompressed)) }
            for height in heights {
                add("up to \(height)p\(rate) \(word)") {
                    nearest($0.modes(compressed: isCompressed), height: height)
                }
            }
        }
        return grades
    }

    /// The largest size, at its highest rate.
    private static func best(_ modes: [StressOffer.Mode]) -> VideoFormat? {
        modes.last.map { VideoFormat(pixel: $0.pixel, size: $0.size, rate: $0.rates[$0.rates.count - 1]) }
    }

    /// The largest size that is not above a height in 16:9, else the smallest; at the rate nearest to 30 from above.
    private static func nearest(_ modes: [StressOffer.Mode], height: Int) -> VideoFormat? {
        let most = height * height * 16 / 9
        let mode = modes.last { $0.size.pixelCount <= most } ?? modes.first
        return mode?.format(near: rate)
    }
}
