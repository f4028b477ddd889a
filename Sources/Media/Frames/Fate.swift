/// Kind of frame that a video track shows at a tick, and the reason for it.
///
/// The aligner determines the fate. A component that can't show the frame replaces the fate with
/// `superseded(by:)`. The fate is passed to the encoder together with the frame, and then stored in the packet.
/// Fates are counted for each file.
package enum Fate: Sendable, Hashable {
    /// A new frame as delivered by the camera.
    case captured
    /// The previous frame is shown again. The cause is `nil` only if no frame was due because the camera is
    /// slower than the track.
    case duplicated(LossCause?)
    /// The previous frame is shown instead of a delivered frame that couldn't be used.
    case replaced(LossCause)
    /// A generated picture (slate) is shown, because no frame arrived for longer than the slate delay.
    case slate(LossCause)

    /// Returns the fate that the tick has if the previous frame is shown instead.
    ///
    /// - Parameter cause: Reason why the tick's own frame or slate can't be shown.
    /// - Returns: `replaced` for a captured frame. A slate becomes a duplicate with the cause of the slate.
    package func superseded(by cause: LossCause) -> Self {
        switch self {
        case .captured: .replaced(cause)
        case .slate(let missing): .duplicated(missing)
        case .duplicated, .replaced: self
        }
    }

    /// Reason why the tick lacks a new frame; `nil` if the frame was captured or no frame was due.
    package var cause: LossCause? {
        switch self {
        case .captured: nil
        case .duplicated(let cause): cause
        case .replaced(let cause), .slate(let cause): cause
        }
    }

    /// Whether the tick shows a generated picture (slate).
    package var isSlate: Bool { if case .slate = self { true } else { false } }
}

/// Number of video ticks by fate.
package struct FateCounts: Sendable, Equatable {
    private var counts: [Fate: Int] = [:]

    /// Creates tick counts that are all zero.
    package init() {}

    /// Creates tick counts from the given fates.
    package init(_ fates: some Sequence<Fate>) { for fate in fates { add(fate) } }

    /// Counts additional ticks with the given fate.
    package mutating func add(_ fate: Fate, count: Int = 1) {
        if count > 0 { counts[fate, default: 0] += count }
    }

    /// Adds other tick counts to these counts.
    package mutating func add(_ other: Self) { counts.merge(other.counts, uniquingKeysWith: +) }

    /// Number of ticks with the given fate.
    package subscript(fate: Fate) -> Int { counts[fate] ?? 0 }

    /// Total number of ticks.
    package var total: Int { counts.values.reduce(0, +) }
    /// Number of ticks that show the previous frame again, for any reason: duplicated and replaced frames.
    package var duplicated: Int {
        counts.reduce(0) { sum, item in
            switch item.key {
            case .duplicated, .replaced: sum + item.value
            case .captured, .slate: sum
            }
        }
    }
    /// Number of ticks that show a generated picture (slate).
    package var slate: Int { counts.reduce(0) { $0 + ($1.key.isSlate ? $1.value : 0) } }
    /// Number of delivered frames that could not be used, by cause.
    package var replaced: [LossCause: Int] {
        counts.reduce(into: [:]) { sum, item in
            if case .replaced(let cause) = item.key { sum[cause, default: 0] += item.value }
        }
    }
}

/// Fates of consecutive video ticks.
package typealias FateRun = Runs<Fate>

extension Runs<Fate> {
    /// Returns the fates that the ticks have if they show the previous frame instead.
    package func superseded(by cause: LossCause) -> Self { map { $0.superseded(by: cause) } }

    /// Number of video ticks by fate.
    package var counts: FateCounts {
        var counts = FateCounts()
        for run in runs { counts.add(run.element, count: run.count) }
        return counts
    }
}
