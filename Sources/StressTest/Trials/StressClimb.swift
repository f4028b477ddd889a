public import Media

/// Raises the load of the cameras one change at a time until a step fails. Takes results and gives the next step. A value.
///
/// All cameras begin with their smallest size. Then sizes go up, one camera after the other; when all are at their largest, the
/// rates go up. A failed step is repeated once, and only a second failure counts.
public struct StressClimb: Sendable {
    /// One step of the climb.
    public struct Step: Sendable, Equatable {
        /// The number of the step, counted from 1; a repetition has the same number.
        public let number: Int
        /// The change of the step: `desk 640x480 → 1280x720 at 30`; for the first step the lowest formats.
        public let change: String
        /// The formats of all cameras, by role.
        public let formats: [String: VideoFormat]
        /// Whether the same formats failed just before.
        public let isRepetition: Bool
    }

    /// How the climb ended.
    public enum End: Sendable, Equatable {
        /// All cameras held at their highest formats.
        case top
        /// This step failed twice.
        case gave(Step)
    }

    /// One camera's formats from low to high.
    private struct Ladder {
        let role: String
        var sizes: [VideoFormat]
        var rates: [VideoFormat]
        var current: VideoFormat
    }

    private var ladders: [Ladder]
    /// The index of the camera that is raised next.
    private var turn = 0
    private var number = 1
    private var upcoming: Step?
    /// The highest step that held; `nil` when none has.
    public private(set) var highest: Step?
    /// How the climb ended; `nil` while it goes on.
    public private(set) var end: End?

    private static let lowestRate: FrameRate = FrameRate(15)
    private static let mostSizes = 6

    /// Creates a climb. Each camera climbs in one pixel format: its compressed one if it has any, or the one that the profile
    /// asks for if that is raw.
    ///
    /// - Parameter offers: The formats of each camera, in the profile's order.
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

    /// The next step to try; `nil` when the climb has ended.
    public func next() -> Step? { upcoming }

    /// Takes the result of the step that `next` returned.
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

    /// The step that raises the next camera with a larger size, or else the next with a higher rate; `nil` when there is none.
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

    /// A camera's formats: sizes of rising load at the lowest usual rate, then the largest size's higher rates.
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

    /// The smallest and the largest size, and those between that have at least 1.5 times the pixels of the one before.
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

    /// Pixels per second.
    static func load(_ format: VideoFormat) -> Double {
        Double(format.size.pixelCount) * format.rate.perSecond
    }
}
