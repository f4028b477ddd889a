internal import Media
internal import SessionFolder

extension Cut {
    /// The cut that people made while it was recorded, from the arrangements of the program. A recording without a program has
    /// no cut: its first angle is shown.
    public static func live(of session: RecordedSession) -> Cut {
        guard session.angles.first?.kind == .camera, !session.arrangements.isEmpty else {
            return none(of: session)
        }
        var shots: [Shot] = []
        var last: Manifest.Arrangement?
        for arrangement in session.arrangements {
            let time = MediaTime(nanoseconds: arrangement.at_ns)
            let frame = shots.isEmpty ? 0 : session.rate.ticks(before: time)
            guard frame < session.frameCount else { break }
            // Arrangements that differ in the mix alone are one shot.
            if let last, last.layout == arrangement.layout, last.layers == arrangement.layers { continue }
            last = arrangement
            if shots.last?.first == frame { shots.removeLast() }
            if !shots.isEmpty { shots[shots.count - 1].end = frame }
            shots.append(
                Shot(
                    first: frame, end: session.lastFrame, show: arrangement.layers.map(\.role),
                    layout: arrangement.layout,
                    why: session.reason(at: arrangement.at_ns, isFirst: frame == 0)))
        }
        return Cut(rate: session.rate, shots: shots)
    }

    /// No cut: the first angle from the beginning to the end.
    public static func none(of session: RecordedSession) -> Cut {
        Cut(
            rate: session.rate,
            shots: [
                Shot(
                    first: 0, end: session.lastFrame, show: session.angles.prefix(1).map(\.role),
                    layout: "single", why: "there is no cut")
            ])
    }
}

extension RecordedSession {
    /// The frame after the last one; 1 for a recording that has no frame.
    var lastFrame: Int64 { max(1, frameCount) }

    /// What people did at an instant, in their words.
    fileprivate func reason(at nanoseconds: Int64, isFirst: Bool) -> String {
        let words = changes.filter { $0.at_ns == nanoseconds }.flatMap(\.changes)
        if words.isEmpty { return isFirst ? "the program began so" : "the program changed" }
        return "live: \(words.joined(separator: ", ").printable())"
    }
}
