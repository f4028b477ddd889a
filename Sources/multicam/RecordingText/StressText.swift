import Media
import SessionFolder
import StressTest

/// The events of a stress test, for people and as JSON.
enum StressText {
    /// The event as a sentence; `nil` when it needs none.
    static func sentence(on event: StressEvent) -> String? {
        switch event {
        case .started: return nil
        case .began(let run):
            let cameras = run.cameras.map(\.description).joined(separator: ", ")
            let title = run.title == cameras ? "" : " (\(run.title))"
            return "\(run.name)\(title): \(cameras)"
        case .ended(let run):
            let word: String =
                switch run.verdict {
                case .held: "held"
                case .failed: "did not hold"
                case .notRun: "did not start"
                }
            let cause = run.cause.map { ", \($0.words) gave" } ?? ""
            return (["\(run.name): \(word)\(cause)."] + run.reasons).joined(separator: " ")
        case .warning(let text): return text.printable(limit: 1000)
        }
    }

    static func json(_ event: StressEvent) -> String {
        switch event {
        case .started(let folder): return line("started", ["folder": .string(folder)])
        case .began(let run): return line("run", fields(run))
        case .ended(let run):
            var fields = fields(run)
            fields["verdict"] = .string(run.verdict.rawValue)
            fields["cause"] = run.cause.map { .string($0.rawValue) } ?? .null
            fields["reasons"] = .array(run.reasons.map { .string($0) })
            fields["duration_ns"] = .integer(run.duration_ns)
            return line("verdict", fields)
        case .warning(let text): return line("warning", ["text": .string(text.printable(limit: 1000))])
        }
    }

    /// The last line of JSON, with the result.
    static func json(_ result: StressResult, exit: ExitStatus) -> String {
        let certificate = result.certificate
        return line(
            "finished",
            [
                "folder": .string(result.folder), "outcome": .string(certificate.outcome.rawValue),
                "verdict": certificate.verdict.map { .string($0.rawValue) } ?? .null,
                "summary": .array(certificate.summary.map { .string($0) }),
                "at_ns": .integer(certificate.duration_ns), "exit": .integer(Int64(exit.rawValue)),
            ])
    }

    private static func fields(_ run: StressCertificate.Run) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "name": .string(run.name), "kind": .string(run.kind.rawValue), "title": .string(run.title),
            "at_ns": .integer(run.started_ns), "is_profile": .boolean(run.is_profile),
            "cameras": .array(
                run.cameras.map { camera in
                    .object([
                        "role": .string(camera.role), "pixel": .string(camera.pixel),
                        "width": .integer(Int64(camera.width)), "height": .integer(Int64(camera.height)),
                        "rate": .number(camera.rate),
                    ])
                }),
        ]
        if let predicted = run.predicted { fields["hardware"] = .number(predicted.hardware) }
        return fields
    }

    private static func line(_ name: String, _ fields: [String: JSONValue]) -> String {
        var object = fields
        object["event"] = .string(name)
        object["at_ns"] = object["at_ns"] ?? .integer(0)
        return JSONText.line(JSONValue.object(object))
    }
}
