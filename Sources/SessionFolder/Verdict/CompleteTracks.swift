internal import Media

/// The tracks of a recording that lack nothing, in words: `Both camera tracks and microphone host are complete.`
struct CompleteTracks {
    private let tracks: [TrackLosses]
    private let cameras: Set<String>

    /// Takes the tracks of a recording.
    ///
    /// - Parameters:
    ///   - tracks: All recorded tracks.
    ///   - cameras: Roles of all cameras, with or without tracks of their own.
    init(_ tracks: [TrackLosses], cameras: Set<String>) {
        self.tracks = tracks
        self.cameras = cameras
    }

    /// The sentence that names the complete tracks; `nil` where no track is complete.
    var sentence: String? {
        let parts =
            words(.program, one: "program", many: "programs")
            + words(.camera, one: "camera", many: "camera tracks")
            + words(.microphone, one: "microphone", many: "microphones")
        guard let last = parts.last else { return nil }
        let subject = (parts.count > 1 ? parts.dropLast().joined(separator: ", ") + " and " : "") + last
        let isPlural = tracks.filter(\.isComplete).count > 1
        let cure =
            canMakeProgram
            ? "; the program can be made again from \(isPlural ? "them" : "it") in a video editor" : ""
        return "\(subject) \(isPlural ? "are" : "is") complete\(cure)".asSentence
    }

    /// Whether the program lacks something and every camera has a track that lacks nothing.
    private var canMakeProgram: Bool {
        let whole = Set(tracks.filter { $0.kind == .camera && $0.isComplete }.map(\.name))
        return !cameras.isEmpty && cameras.isSubset(of: whole)
            && tracks.contains { $0.kind == .program && !$0.isComplete }
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
