package import MulticamMedia

/// Raises the load of the cameras one change at a time until a step fails. This value type has no side effects: it
/// receives results and returns the next step.
///
/// All cameras begin with their smallest size. The sizes are then increased, one camera after another. When all cameras
/// have reached their largest size, the rates are increased. A failed step is repeated once, and only a second failure
/// counts.
package struct StressClimb: Sendable {
    /// One step of the climb.
    package struct Step: Sendable, Equatable {
        /// Number of the step, starting at 1. A repeated step has the same number as the original step.
        package let number: Int
        /// The change made by the step, for example `desk 640x480 → 1280x720 at 30`. The first step lists the lowest
        /// formats instead.
        package let change: String
        /// The formats of all cameras, by role.
        package let formats: [String: VideoFormat]
        /// Whether this step repeats a step that has just failed.
        package let isRepetition: Bool
    }

    /// The reason for the end of the climb.
    package enum End: Sendable, Equatable {
        /// All cameras passed at their highest formats.
        case top
        /// The climb ended because this step failed twice.
        case failed(Step)
    }

    /// The formats of one camera in ascending order.
    private struct Ladder {
        let role: String
        var sizes: [VideoFormat]
        var rates: [VideoFormat]
        var current: VideoFormat
    }

    private var ladders: [Ladder]
    /// Index of the next camera to get a higher format.
    private var turn = 0
    private var number = 1
    private var upcoming: Step?
    /// The highest step that passed; `nil` if no step has passed yet.
    package private(set) var highest: Step?
    /// The reason for the end of the climb; `nil` until the climb has ended.
    package private(set) var end: End?

    private static let lowestRate: FrameRate = FrameRate(15)
    private static let mostSizes = 6

    /// Creates a climb. Each camera keeps the same pixel format throughout the climb: the requested format if it is
    /// raw, otherwise a compressed format if the camera offers one.
    ///
    /// - Parameter offers: The formats of each camera, in the profile's order.
    package init(_ offers: [StressOffer]) {
        ladders = offers.compactMap { offer in
            let isRaw = !offer.requested.pixel.isCompressed
            let same = offer.modes.filter { $0.pixel == offer.requested.pixel }
            let modes = isRaw || offer.requested.pixel == .h264 ? same : offer.modes(compressed: true)
            return Self.ladder(offer.role, modes.isEmpty ? same : modes)
        }
        let formats = Self.formats(ladders)
        let words = "lowest formats: " + ladders.map { "\($0.role) \($0.current)" }.joined(separator: ", ")
        upcoming =
            ladders.isEmpty ? nil : Step(number: 1, change: words, formats: formats, isRepetition: false)
        if ladders.isEmpty { end = .top }
    }

    /// Returns the next step to try; `nil` if the climb has ended.
    package func next() -> Step? { upcoming }

    /// Records the result of the step that `next` returned.
    package mutating func record(passed: Bool) {
        guard let step = upcoming else { return }
        if passed {
            highest = step
            upcoming = raised()
            if upcoming == nil { end = .top }
        } else if step.isRepetition {
            end = .failed(step)
            upcoming = nil
        } else {
            upcoming = Step(
                number: step.number, change: step.change, formats: step.formats, isRepetition: true)
        }
    }

    /// Returns the step that gives the next camera a larger size, or a higher rate if no size can be raised.
    /// Returns `nil` if all cameras have reached their highest formats.
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
            ? "\(was.rate) → \(now.rate) fps" : "\(was.size) → \(now.size) at \(now.rate)"
    }

    private static func formats(_ ladders: [Ladder]) -> [String: VideoFormat] {
        Dictionary(uniqueKeysWithValues: ladders.map { ($0.role, $0.current) })
    }

    /// Returns a camera's formats in ascending order: first all sizes at the lowest usual rate, then the higher rates
    /// at the largest size.
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

    /// Returns the smallest and the largest size, and the sizes between them that have at least 1.5 times as
    /// many pixels as the previously selected size.
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

    /// Returns the number of pixels per second in a format.
    static func load(_ format: VideoFormat) -> Double {
        Double(format.size.pixelCount) * format.rate.perSecond
    }
}
