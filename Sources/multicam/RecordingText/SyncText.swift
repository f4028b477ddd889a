import Media
import Synchrony

/// The findings of a synchronization check, for people.
enum SyncText {
    /// An aligned table, notes on what is unknown, and the verdict.
    static func of(_ findings: SyncFindings) -> String {
        let head = ["track", "", "start", "end", "drift", "by", ""]
        let rows = findings.tracks.map(row)
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        var lines = ([head] + rows).map { cells in
            var line = ""
            for (cell, width) in zip(cells, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
        let reference = findings.tracks.first { $0.verdict == .reference }?.label ?? ""
        lines.append("")
        lines.append("Offsets are against \(reference) unless another is named; above zero is later.")
        for track in findings.tracks {
            if let note = track.note { lines.append("\(track.label): \(note)") }
        }
        return (lines + ["", findings.sentence]).joined(separator: "\n")
    }

    private static func row(_ track: SyncFindings.Track) -> [String] {
        let by = [method(track), track.reference.map { "against \($0)" }].compactMap { $0 }.joined(
            separator: ", ")
        return [
            track.name, track.kind.words, track.start.map(track.text) ?? "–",
            track.end.map(track.text) ?? "–",
            track.driftText ?? "–", by.isEmpty ? "\(track.events) events" : by, track.verdict.rawValue,
        ]
    }

    private static func method(_ track: SyncFindings.Track) -> String? {
        switch track.method {
        case .claps: "\(track.claps?.count ?? 0) of \(track.events) claps"
        case .correlation: "correlation"
        case nil: nil
        }
    }
}
