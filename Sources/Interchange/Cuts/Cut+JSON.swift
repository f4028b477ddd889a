public import FoundationEssentials
internal import Media
internal import Profiles
internal import SessionFolder

extension Cut {
    /// The fields of `cut.json`; times are nanoseconds since T0.
    private struct Text: Codable {
        struct Shot: Codable {
            var from_ns: Int64
            var to_ns: Int64
            var show: [String]
            var layout: String
            var why: String?
        }

        var schema: Int
        var rate: Double
        var shots: [Shot]
    }

    /// The content of `cut.json`.
    public var json: Data {
        let shots = shots.map { shot in
            Text.Shot(
                from_ns: rate.time(ofTick: shot.first).nanoseconds,
                to_ns: rate.time(ofTick: shot.end).nanoseconds,
                show: shot.show, layout: shot.layout, why: shot.why)
        }
        return JSONText.pretty(Text(schema: 1, rate: rate.perSecond, shots: shots)) + Data("\n".utf8)
    }

    /// Reads a cut that a person or another program may have written. Its times are rounded to the session's frames.
    ///
    /// - Parameters:
    ///   - bytes: Content of the file.
    ///   - file: Name of the file, for messages.
    ///   - session: The recording that is cut.
    /// - Throws: `CutError` with the first fault: no JSON, another version, a role or layout that is not there, shots that do not
    ///   follow each other from the beginning to the end.
    public init(reading bytes: [UInt8], file: String, for session: RecordedSession) throws(CutError) {
        func wrong(_ text: String) -> CutError { CutError("\(file.printable()): \(text)") }
        let text: Text
        do {
            text = try JSONText.decoder().decode(Text.self, from: Data(bytes))
        } catch {
            throw wrong(
                "it is no cut: it \(ManifestFault(error).reason). docs/reference/cut.md says what it holds.")
        }
        guard text.schema == 1 else {
            throw wrong("it is of another version (schema \(text.schema)); expected 1.")
        }
        let end = session.lastFrame
        var shots: [Shot] = []
        for (index, shot) in text.shots.enumerated() {
            let place = "shots.\(index)"
            func frame(_ nanoseconds: Int64) -> Int64 {
                let next = session.rate.ticks(before: MediaTime(nanoseconds: nanoseconds))
                let (before, after) = (
                    session.rate.time(ofTick: max(0, next - 1)), session.rate.time(ofTick: next)
                )
                return nanoseconds - before.nanoseconds < after.nanoseconds - nanoseconds
                    ? max(0, next - 1) : next
            }
            guard Manifest.plausible.contains(shot.from_ns), Manifest.plausible.contains(shot.to_ns) else {
                throw wrong("\(place) has a time that no recording has.")
            }
            let (first, last) = (frame(shot.from_ns), min(frame(shot.to_ns), end))
            let expected = shots.last?.end ?? 0
            guard first == expected else {
                let wanted = session.rate.time(ofTick: expected).nanoseconds
                throw wrong(
                    "\(place).from_ns is \(shot.from_ns), expected \(wanted): shots follow each other from 0 to the end."
                )
            }
            guard first < last else {
                throw wrong("\(place) is shorter than a frame, or lies after the end.")
            }
            if let role = shot.show.first(where: { session.angle($0) == nil && !session.showed($0) }) {
                let roles = session.angles.map(\.role).joined(separator: ", ")
                throw wrong(
                    "\(place).show has `\(role.printable())`, which the recording has not. It has \(roles).")
            }
            guard ProgramSettings.Layout(rawValue: shot.layout) != nil else {
                let layouts = ProgramSettings.Layout.allCases.map(\.rawValue).joined(separator: ", ")
                throw wrong("\(place).layout is `\(shot.layout.printable())`, expected \(layouts).")
            }
            shots.append(
                Shot(
                    first: first, end: last, show: shot.show, layout: shot.layout,
                    why: (shot.why ?? "").printable(limit: 1000)))
        }
        guard shots.last?.end == end else {
            throw wrong(
                "its last shot ends at \(text.shots.last?.to_ns ?? 0) ns, expected \(session.duration.nanoseconds), the recording's end."
            )
        }
        self.init(rate: session.rate, shots: shots)
    }
}

extension Manifest {
    /// Times in nanoseconds whose sums do not overflow: some three years.
    fileprivate static var plausible: ClosedRange<Int64> { 0...100_000_000_000_000_000 }
}

extension RecordedSession {
    /// Whether the program ever showed a camera, which may have no track or have lost its files.
    fileprivate func showed(_ role: String) -> Bool {
        arrangements.contains { arrangement in arrangement.layers.contains { $0.role == role } }
    }
}
