import Media
import SessionFolder

/// How the live outputs of a recording went, for people.
enum PublicationText {
    /// One line for each live output.
    static func lines(_ manifest: Manifest) -> [String] {
        (manifest.publications ?? []).map { publication in
            let live = publication.connected.reduce(Nanoseconds.zero) {
                $0 + Nanoseconds($1.to_ns - $1.from_ns)
            }
            let words = [
                "\(publication.name) was live for \(seconds(live)) of \(seconds(Nanoseconds(manifest.duration_ns))) s",
                "\(publication.sent_frames) \(publication.kind == "pulse" ? "blocks" : "frames") sent",
                publication.dropped_frames > 0 ? "\(publication.dropped_frames) dropped" : nil,
                publication.connected.count > 1 ? "\(publication.connected.count) connections" : nil,
            ]
            let reason = publication.reasons.last.map { ": \($0.trimmingFullStop)" } ?? ""
            return "\(words.compactMap(\.self).joined(separator: ", "))\(reason).".printable(limit: 1000)
        }
    }

    private static func seconds(_ time: Nanoseconds) -> String {
        let tenths = (time.count + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
