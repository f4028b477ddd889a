package import FoundationEssentials
package import MulticamMedia
package import MulticamProfiles
internal import MulticamSessionFolder

/// The sequence of shots of a recording: consecutive shots from the first frame to the last. A pure value type.
package struct Cut: Sendable, Equatable {
    /// A part of the recording during which the same cameras are shown in the same layout.
    package struct Shot: Sendable, Equatable {
        /// First frame of the shot, counted from T0 at the session's rate.
        package var first: Int64
        /// The frame after the last frame of the shot.
        package var end: Int64
        /// Roles of the cameras that are shown, the main camera first, in order from back to front.
        package var cameras: [String]
        /// Layout of the cameras.
        package var layout: ProgramLayout
        /// The reason for the shot, as text for users.
        package var reason: String

        /// Creates a shot.
        package init(first: Int64, end: Int64, cameras: [String], layout: ProgramLayout, reason: String) {
            self.first = first
            self.end = end
            self.cameras = cameras
            self.layout = layout
            self.reason = reason
        }
    }

    /// Frame rate of the shots' frame numbers, in frames per second.
    package let rate: FrameRate
    /// The shots in order. Each shot starts at the end of the previous shot, and no shot is empty.
    package let shots: [Shot]

    /// Creates a cut from consecutive shots.
    ///
    /// - Precondition: `shots` isn't empty, no shot is empty, and each shot starts at the end of the previous
    ///   shot.
    package init(rate: FrameRate, shots: [Shot]) {
        precondition(
            !shots.isEmpty && shots.allSatisfy { $0.first < $0.end }
                && zip(shots, shots.dropFirst()).allSatisfy { $0.end == $1.first },
            "the shots of a cut must be contiguous")
        self.rate = rate
        self.shots = shots
    }

    /// Returns the shot that contains a frame, or the last shot if the frame is after the end.
    package func shot(at frame: Int64) -> Shot {
        shots[(shots.firstIndex { frame < $0.end } ?? shots.count - 1)]
    }
}

extension Cut {
    /// Returns the cut made by users during the recording, based on the program's arrangements. For a
    /// recording without a program, the first angle is shown.
    package static func live(of session: RecordedSession) -> Cut {
        guard session.angles.first?.kind == .camera, !session.arrangements.isEmpty else {
            return none(of: session)
        }
        var shots: [Shot] = []
        var last: Manifest.Arrangement?
        for arrangement in session.arrangements {
            let time = MediaTime(nanoseconds: arrangement.at_ns)
            let frame = shots.isEmpty ? 0 : session.rate.ticks(before: time)
            guard frame < session.frameCount else { break }
            // Arrangements that differ only in the mix belong to one shot.
            if let last, arrangement.hasSameLayers(as: last) { continue }
            last = arrangement
            if shots.last?.first == frame { shots.removeLast() }
            if !shots.isEmpty { shots[shots.count - 1].end = frame }
            shots.append(
                Shot(
                    first: frame, end: session.lastFrame, cameras: arrangement.layers.map(\.role),
                    layout: arrangement.layout,
                    reason: session.reason(at: arrangement.at_ns, isFirst: frame == 0)))
        }
        return Cut(rate: session.rate, shots: shots)
    }

    /// Returns a cut without changes: the first angle from the beginning to the end.
    package static func none(of session: RecordedSession) -> Cut {
        Cut(
            rate: session.rate,
            shots: [
                Shot(
                    first: 0, end: session.lastFrame, cameras: session.angles.prefix(1).map(\.role),
                    layout: .single, reason: "no cut")
            ])
    }
}

extension RecordedSession {
    /// The frame after the last frame; 1 for a recording without frames.
    var lastFrame: Int64 { max(1, frameCount) }

    /// Returns a description of the user's actions at an instant.
    fileprivate func reason(at nanoseconds: Int64, isFirst: Bool) -> String {
        let words = changes.filter { $0.at_ns == nanoseconds }.flatMap(\.changes)
        if words.isEmpty { return isFirst ? "start of the program" : "the program changed" }
        return "live: \(words.joined(separator: ", ").printable())"
    }
}

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
    package var json: Data {
        let shots = shots.map { shot in
            Text.Shot(
                from_ns: rate.time(ofTick: shot.first).nanoseconds,
                to_ns: rate.time(ofTick: shot.end).nanoseconds,
                show: shot.cameras, layout: shot.layout.rawValue, why: shot.reason)
        }
        return JSONText.pretty(Text(schema: 1, rate: rate.perSecond, shots: shots)) + Data("\n".utf8)
    }

    /// Reads a cut that a user or another program may have written. The cut's times are rounded to the session's
    /// frames.
    ///
    /// - Parameters:
    ///   - bytes: Content of the file.
    ///   - file: Name of the file, for messages.
    ///   - session: The recording that the cut belongs to.
    /// - Throws: `CutError` for the first error: invalid JSON, another version, an unknown role or layout, or
    ///   shots that aren't consecutive from the beginning to the end.
    package init(reading bytes: [UInt8], file: String, for session: RecordedSession) throws(CutError) {
        func wrong(_ text: String) -> CutError { CutError("\(file.printable()): \(text)") }
        let text: Text
        do {
            text = try JSONText.decoder().decode(Text.self, from: Data(bytes))
        } catch {
            throw wrong(
                "the cut file \(ManifestFault(error).reason). See docs/reference/cut.md for the format."
            )
        }
        guard text.schema == 1 else {
            throw wrong(
                "the cut file was written by another version of multicam (schema \(text.schema) instead of 1)."
            )
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
                throw wrong("\(place) contains an invalid time.")
            }
            let (first, last) = (frame(shot.from_ns), min(frame(shot.to_ns), end))
            let expected = shots.last?.end ?? 0
            guard first == expected else {
                let wanted = session.rate.time(ofTick: expected).nanoseconds
                throw wrong(
                    "\(place).from_ns is \(shot.from_ns), expected \(wanted). Shots must be contiguous from 0 to the end of the recording."
                )
            }
            guard first < last else {
                throw wrong("\(place) is shorter than a frame or starts after the end of the recording.")
            }
            if let role = shot.show.first(where: { session.angle($0) == nil && !session.hasShown($0) }) {
                let roles = session.angles.map(\.role).joined(separator: ", ")
                throw wrong(
                    "\(place).show contains `\(role.printable())`, which isn't part of the recording. Available: \(roles)."
                )
            }
            guard let layout = ProgramLayout(rawValue: shot.layout) else {
                let layouts = ProgramLayout.names.joined(separator: ", ")
                throw wrong("\(place).layout is `\(shot.layout.printable())`, expected \(layouts).")
            }
            shots.append(
                Shot(
                    first: first, end: last, cameras: shot.show, layout: layout,
                    reason: (shot.why ?? "").printable(limit: 1000)))
        }
        guard shots.last?.end == end else {
            throw wrong(
                "the last shot ends at \(text.shots.last?.to_ns ?? 0) ns, expected \(session.duration.nanoseconds) ns, the end of the recording."
            )
        }
        self.init(rate: session.rate, shots: shots)
    }
}

extension Manifest {
    /// Range of times in nanoseconds that can be added without overflow: about three years.
    fileprivate static var plausible: ClosedRange<Int64> { 0...100_000_000_000_000_000 }
}

extension RecordedSession {
    /// Whether a camera was ever shown in the program, even if the camera's track or files are missing.
    fileprivate func hasShown(_ role: String) -> Bool {
        arrangements.contains { arrangement in arrangement.layers.contains { $0.role == role } }
    }
}

/// The reason why a cut can't be made, or why a file isn't a valid cut of a session.
package struct CutError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The complete message: the problem, its location, its cause, and how to fix it.
    package let description: String
    /// Whether a file of the recording can't be read, as opposed to a command-line error.
    package let isUnreadable: Bool

    /// Creates an error with its message.
    package init(_ description: String, isUnreadable: Bool = false) {
        self.description = description
        self.isUnreadable = isUnreadable
    }
}
