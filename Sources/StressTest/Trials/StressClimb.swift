public import Media

/// Raises the load of all cameras until something gives, one thing at a time: results in, the next step out. A value.
///
/// All cameras begin with their smallest size; then sizes go up, a camera after the other, and when all are at their largest the
/// rates. A step that fails is tried once more: only what fails twice has given.
public struct StressClimb: Sendable {
    public struct Step: Sendable, Equatable {
        /// Counted from 1; a repetition has the number of what it repeats.
        public let number: Int
        /// What was raised: `desk 640x480 → 1280x720`; of the first step what it begins with.
        public let change: String
        public let formats: [String: VideoFormat]
        /// Whether the same has failed just before.
        public let isRepetition: Bool
    }

    public enum End: Sendable, Equatable {
        /// All cameras deliver all that they have.
        case top
        case gave(Step)
    }

    /// One camera's way up.
    private struct Ladder {
        let role: String
        var sizes: [VideoFormat]
        var rates: [VideoFormat]
        var current: VideoFormat
    }

    private var ladders: [Ladder]
    /// Whose turn it is.
    private var turn = 0
    private var number = 1
    private var upcoming: Step?
    /// The highest that held.
    public private(set) var highest: Step?
    /// `nil` while it goes on.
    public private(set) var end: End?

    private static let lowestRate: FrameRate = FrameRate(15)
    private static let mostSizes = 6

    /// - Parameter offers: Of each camera, in the profile's order. Each climbs in one pixel format: the compressed one where it
    ///   has one; the one that the profile asks for where that is raw.
    public init(_ offers: [StressOffer]) {
        ladders = offers.compactMap { offer in
            let isRaw = !offer.asked.pixel.isCompressed
            let same = offer.modes.filter { $0.pixel == offer.asked.pixel }
            let modes = isRaw || offer.asked.pixel == .h264 ? same : offer.modes(compressed: true)
            return Self.ladder(offer.role, modes.isEmpty ? same : modes)
        }
        let formats = Self.formats(ladders)
        let words = "the lowest of all: " + ladders.map { "\($0.role) \($0.current)" }.joined(separator: ", ")
        upcoming =
            ladders.isEmpty ? nil : Step(number: 1, change: words, formats: formats, isRepetition: false)
        if ladders.isEmpty { end = .top }
    }

    public func next() -> Step? { upcoming }

    /// What became of the step that `next` gave.
    public mutating func note(held: Bool) {
        guard let step = upcoming else { return }
        if held {
            highest = step
            upcoming = raised()
            if upcoming == nil { end = .top }
        } else if step.isRepetition {
            end = .gave(step)
            upcoming = nil
        } else {
            upcoming = Step(
                number: step.number, change: step.change, formats: step.formats, isRepetition: true)
        }
    }

    /// The next camera that has a larger size; when there is none, the next that has a higher rate.
    private mutating func raised() -> Step? {
        for path in [\Ladder.sizes, \Ladder.rates] {
            for offset in ladders.indices {
                let index = (turn + offset) % ladders.count
                guard let format = ladders[index][keyPath: path].first else { continue }
                ladders[index][keyPath: path].removeFirst()
                let was = ladders[index].current
                ladders[index].current = format
                turn = (index + 1) % ladders.count
                number += 1
                return Step(
                    number: number, change: "\(ladders[index].role) \(Self.change(was, format))",
                    formats: Self.formats(ladders), isRepetition: false)
            }
        }
        return nil
    }

    private static func change(_ was: VideoFormat, _ now: VideoFormat) -> String {
        was.size == now.size
            ? "\(was.rate) → \(now.rate) frames a second" : "\(was.size) → \(now.size) at \(now.rate)"
    }

    private static func formats(_ ladders: [Ladder]) -> [String: VideoFormat] {
        Dictionary(uniqueKeysWithValues: ladders.map { ($0.role, $0.current) })
    }

    /// Sizes at the lowest rate that people record at, each a good deal above the one before; then the largest one's rates.
    private static func ladder(_ role: String, _ modes: [StressOffer.Mode]) -> Ladder? {
        var formats: [VideoFormat] = []
        for format in thinned(modes).map({ $0.format(near: lowestRate) })
        where formats.last.map({ load(format) > load($0) }) ?? true {
            formats.append(format)
        }
        guard let first = formats.first, let largest = formats.last else { return nil }
        let rates = modes.first { $0.size == largest.size }?.rates ?? []
        var higher: [VideoFormat] = []
        for rate in rates where rate.perSecond >= (higher.last ?? largest).rate.perSecond * 1.3 {
            higher.append(VideoFormat(pixel: largest.pixel, size: largest.size, rate: rate))
        }
        if let highest = rates.last, highest > (higher.last ?? largest).rate {
            higher.append(VideoFormat(pixel: largest.pixel, size: largest.size, rate: highest))
        }
        return Ladder(role: role, sizes: Array(formats.dropFirst()), rates: higher, current: first)
    }

    /// Of many sizes the smallest, the largest, and those between that are at least half as large again as the one before.
    private static func thinned(_ modes: [StressOffer.Mode]) -> [StressOffer.Mode] {
        guard let largest = modes.last else { return [] }
        var taken: [StressOffer.Mode] = []
        for mode in modes.dropLast() {
            let last = taken.last.map { Double($0.size.pixelCount) } ?? 0
            let pixels = Double(mode.size.pixelCount)
            if pixels >= last * 1.5, pixels * 1.2 < Double(largest.size.pixelCount) { taken.append(mode) }
        }
        while taken.count >= mostSizes { taken.remove(at: taken.count / 2) }
        return taken + [largest]
    }

    /// Pixels a second.
    static func load(_ format: VideoFormat) -> Double {
        Double(format.size.pixelCount) * format.rate.perSecond
    }
}
