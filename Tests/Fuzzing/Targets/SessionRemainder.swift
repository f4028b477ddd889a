import MulticamSessionFolder

/// Tests a session folder that was left by a crash and is recovered by `recover`: the manifest, the events,
/// and the beginning of a movie.
final class SessionRemainder: FuzzTarget {
    static let name = "session-remains"
    static let limit = 24_576
    private let files: ScratchFiles
    private static let names = ["manifest.json", "events.ndjson", "manifest.json.new", "program.mp4"]

    init(folder: String) {
        files = ScratchFiles(folder: folder)
        files.makeFolder("cameras")
        files.makeFolder("audio")
    }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let parts = InputParts(bytes, count: Self.names.count)
        for (index, name) in Self.names.enumerated() { files.set(name, parts[index]) }
        do {
            let report = try Recovery(path: files.folder).run()
            for track in report.tracks { try requireDisplayable(track.text) }
            // A recovered session doesn't need recovery again.
            let again = try Recovery(path: files.folder).run()
            try require(again.outcome != .recovered, "what was recovered is recovered again")
        } catch let error as RuleViolation {
            throw error
        } catch {
            try requireDisplayable("\(error)")
        }
    }
}
