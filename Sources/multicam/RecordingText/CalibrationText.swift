import Media
import MulticamKit
import Plan
import SessionFolder
import Setup
import Synchrony

/// The events and the result of a calibration, for people and as JSON.
struct CalibrationText {
    /// The event as a sentence for people.
    let sentence: String
    /// The event as a line of JSON.
    let json: String

    init(_ event: CalibrationEvent, goal: Nanoseconds) {
        switch event {
        case .listening(let reference):
            sentence =
                "ready: flash a light and sound a beep at one instant, seen and heard by all, at uneven times; "
                + "\(reference) is the reference. Ctrl-C ends it."
            json = Self.line("listening", ["reference": .string(reference)])
        case .heard(let number, let noticed, let missed, let findings):
            let known = findings.filter { $0.estimate != nil }.map(Self.short)
            let parts = [
                noticed.isEmpty ? nil : "noticed by \(noticed.joined(separator: ", "))",
                missed.isEmpty ? nil : "not by \(missed.joined(separator: ", "))",
                known.isEmpty ? nil : known.joined(separator: ", "),
            ]
            sentence = "event \(number): \(parts.compactMap(\.self).joined(separator: "; "))"
            json = Self.line(
                "heard",
                [
                    "number": .integer(Int64(number)), "noticed": .array(noticed.map { .string($0) }),
                    "missed": .array(missed.map { .string($0) }),
                    "devices": .array(findings.map { .object(Self.fields(of: $0)) }),
                ])
        case .hint(let text):
            sentence = text
            json = Self.line("hint", ["text": .string(text)])
        }
    }

    private static func line(_ event: String, _ fields: [String: JSONValue]) -> String {
        JSONText.line(JSONValue.object(fields.merging(["event": .string(event)]) { $1 }))
    }

    /// A device's correction in few words: `desk 137.2 ± 4.1 ms`.
    private static func short(_ finding: CalibrationFinding) -> String {
        guard let estimate = finding.estimate, let correction = finding.correction else {
            return finding.role
        }
        return
            "\(finding.role) \(Milliseconds.text(correction)) ± \(Milliseconds.text(estimate.uncertainty)) ms"
    }

    // MARK: The result

    /// The finding on one device, as a sentence.
    static func sentence(on finding: CalibrationFinding, _ result: CalibrationResult) -> String {
        let role = finding.role
        guard let estimate = finding.estimate, let correction = finding.correction else {
            return finding.verdict == .reference
                ? "\(role): the reference, which heard \(result.heardCount) events"
                : "\(role): it noticed none of \(result.heardCount) events, so nothing is kept."
        }
        let events =
            "\(estimate.eventCount) of \(result.heardCount) events, spread \(Milliseconds.text(estimate.spread)) ms"
        let what = finding.device.mediaType == .video ? "latency" : "offset"
        let amount =
            "\(what) \(Milliseconds.text(correction)) ms ± \(Milliseconds.text(estimate.uncertainty)) ms"
        switch finding.verdict {
        case .reference, .measured: return "\(role): \(amount) (\(events))"
        case .coarse:
            return "\(role): \(amount) (\(events)); that is coarse. \(advice(on: estimate))"
        case .undecided:
            let (low, high) = (correction - estimate.uncertainty, correction + estimate.uncertainty)
            return
                "\(role): its \(what) is between \(Milliseconds.text(low)) and \(Milliseconds.text(high)) ms (\(events)); to "
                + "take so coarse a value off could make time stamps worse, so nothing is kept. \(advice(on: estimate))"
        case .tooFew:
            return "\(role): it noticed \(events); fewer than 3 prove nothing, so nothing is kept."
        }
    }

    private static func advice(on estimate: LatencyEstimate) -> String {
        estimate.needsOtherPhases
            ? "All events fell at the same phase of its frames: flash at uneven times."
            : "More events make it finer."
    }

    /// Further remarks on the result for the user, one sentence each.
    static func remarks(on result: CalibrationResult, plan: SessionPlan, isKept: Bool, isDry: Bool)
        -> [String]
    {
        var remarks: [String] = []
        if result.heardCount < 3 {
            remarks.append(
                "the reference heard \(result.heardCount) events; 3 are needed, at uneven times, as loud as a clap."
            )
        }
        let cameras = plan.cameras.filter { $0.latencySource == .profile }.map { ($0.role, "latency") }
        let microphones = plan.microphones.filter { $0.offsetSource == .profile }.map { ($0.role, "offset") }
        for (role, field) in cameras + microphones {
            remarks.append("\(role): its profile says `\(field)`, which is used instead; take it out there.")
        }
        if isKept {
            let roles = result.findings.filter(\.isUsable).map(\.role).joined(separator: ", ")
            remarks.append("kept for \(roles); recordings in these formats use it from now on.")
        } else if isDry, result.hasUsable {
            remarks.append("nothing was kept, as asked.")
        }
        return remarks
    }

    static func json(_ result: CalibrationResult, isKept: Bool, exit: ExitStatus) -> String {
        line(
            "finished",
            [
                "heard": .integer(Int64(result.heardCount)), "kept": .boolean(isKept),
                "devices": .array(result.findings.map { .object(fields(of: $0)) }),
                "problems": .array(result.problems.map { .string($0) }),
                "exit": .integer(Int64(exit.rawValue)),
            ])
    }

    private static func fields(of finding: CalibrationFinding) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "role": .string(finding.role),
            "kind": .string(finding.device.mediaType == .video ? "camera" : "microphone"),
            "identity": .string(finding.device.identity.description.printable()),
            "name": .string(finding.device.name.printable()),
            "format": .string(finding.format.description),
            "verdict": .string(word(for: finding.verdict)),
            "usable": .boolean(finding.isUsable),
            "events": .integer(Int64(finding.estimate?.eventCount ?? 0)),
        ]
        let name = finding.device.mediaType == .video ? "latency_ns" : "offset_ns"
        fields[name] = finding.correction.map { .integer($0.count) } ?? .null
        fields["uncertainty_ns"] = finding.estimate.map { .integer($0.uncertainty.count) } ?? .null
        fields["spread_ns"] = finding.estimate.map { .integer($0.spread.count) } ?? .null
        return fields
    }

    private static func word(for verdict: CalibrationFinding.Verdict) -> String {
        switch verdict {
        case .reference: "reference"
        case .measured: "measured"
        case .coarse: "coarse"
        case .undecided: "undecided"
        case .tooFew: "too-few"
        }
    }

    // MARK: What is kept

    /// A stored calibration as a line:
    /// `desk: latency 137.2 ms ± 1.4 ms, mjpeg 1280x720 at 30, Virtual camera desk (…), 10 events, 2026-11-21T14:23:10Z`
    static func line(on device: CalibratedDevice) -> String {
        let name =
            device.selector.map { $0.printable() }
            ?? "\(device.identity.name.printable()) (\(device.identity.description.printable()))"
        guard device.events > 0 else {
            return
                "\(device.role.printable()): reference, \(device.format), \(name), \(device.date.printable())"
        }
        let amount =
            "\(what(device)) \(Milliseconds.text(device.correction)) ms ± \(Milliseconds.text(device.uncertainty)) ms"
        return "\(device.role.printable()): \(amount), \(device.format), \(name), \(device.events) events, "
            + "\(device.date.printable())"
    }

    static func json(_ device: CalibratedDevice) -> JSONValue {
        .object([
            "role": .string(device.role.printable()), "\(what(device))_ns": .integer(device.correction.count),
            "uncertainty_ns": .integer(device.uncertainty.count), "spread_ns": .integer(device.spread.count),
            "events": .integer(Int64(device.events)), "format": .string(device.format.description),
            "identity": .string(device.identity.description.printable()),
            "name": .string(device.identity.name.printable()),
            "selector": device.selector.map { .string($0.printable()) } ?? .null,
            "reference": .string(device.reference.name.printable()), "date": .string(device.date.printable()),
        ])
    }

    private static func what(_ device: CalibratedDevice) -> String {
        switch device.format {
        case .video: "latency"
        case .audio: "offset"
        }
    }
}
