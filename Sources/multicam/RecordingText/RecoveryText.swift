import Media
import SessionFolder

/// The report of a recovery, for people.
enum RecoveryText {
    static func of(_ report: RecoveryReport) -> String {
        let seconds = duration(report.duration_ns)
        let path = report.path.printable(limit: 1000)
        let sentence =
            switch report.outcome {
            case .whole: "\(path) is whole already: \(seconds)."
            case .recovered: "\(path) is whole again: \(seconds) in all tracks."
            case .incomplete: "\(path) is not whole: \(seconds) can be read, but not of every file."
            }
        guard report.outcome != .whole else { return ([sentence] + report.remarks).joined(separator: "\n") }
        let width = report.tracks.map(\.name.count).max() ?? 0
        let lines = report.tracks.map { track in
            let name =
                track.name.printable() + String(repeating: " ", count: max(0, width - track.name.count))
            return "\(name)  \(amount(track))  \(track.text)"
        }
        return ([sentence] + lines + report.remarks).joined(separator: "\n")
    }

    private static func duration(_ nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds + 500_000) / 1_000_000
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest) s"
    }

    private static func amount(_ track: RecoveryReport.Track) -> String {
        if let frames = track.frames { return "\(frames) frames" }
        if let samples = track.samples { return "\(samples) samples" }
        return "nothing"
    }
}
