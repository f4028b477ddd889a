public import Media

/// A rule that gives each camera of a set a format, for example the best compressed one: one row of the table of sets.
public struct StressGrade: Sendable, Equatable {
    /// The grade's name: `as asked`, `best compressed`, `up to 720p30 raw`.
    public let name: String
    /// The format of each camera, by role; cameras without such a format are left out.
    public let formats: [String: VideoFormat]

    /// Creates a grade from its values.
    public init(name: String, formats: [String: VideoFormat]) {
        self.name = name
        self.formats = formats
    }

    /// The name of the grade with the profile's formats.
    public static let asAsked = "as asked"

    private static let heights = [1080, 720, 480]
    private static let rate: FrameRate = FrameRate(30)

    /// The grades worth trying, each with different formats: the profile's, then compressed and raw ones from the best down.
    ///
    /// - Parameter offers: The formats of each camera.
    /// - Returns: At least one grade.
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

    /// The largest size with no more pixels than a 16:9 frame of a height, else the smallest; at the lowest rate of 30 or more.
    private static func nearest(_ modes: [StressOffer.Mode], height: Int) -> VideoFormat? {
        let most = height * height * 16 / 9
        let mode = modes.last { $0.size.pixelCount <= most } ?? modes.first
        return mode?.format(near: rate)
    }
}
