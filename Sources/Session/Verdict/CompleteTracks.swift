/// The tracks of a recording that lack nothing, in words: `Both camera tracks and microphone host are complete.`
struct CompleteTracks {
    private let tracks: [TrackLosses]

    init(_ tracks: [TrackLosses]) { self.tracks = tracks }

    /// `nil` where no track is complete.
    var sentence: String? {
        let parts =
            words(.program, one: "program", many: "programs")
            + words(.camera, one: "camera", many: "camera tracks")
            + words(.microphone, one: "microphone", many: "microphones")
        guard let last = parts.last else { return nil }
        let subject = (parts.count > 1 ? parts.dropLast().joined(separator: ", ") + " and " : "") + last
        let isPlural = tracks.filter(\.isComplete).count > 1
        return "\(subject) \(isPlural ? "are" : "is") complete".asSentence
    }

    private func words(_ kind: TrackLosses.Kind, one: String, many: String) -> [String] {
        let all = tracks.filter { $0.kind == kind }
        let complete = all.filter(\.isComplete)
        if complete.count == all.count, all.count > 1 {
            return [all.count == 2 ? "both \(many)" : "all \(all.count) \(many)"]
        }
        return complete.map(\.subject)
    }
}
