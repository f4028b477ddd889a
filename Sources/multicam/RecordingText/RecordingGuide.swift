import FoundationEssentials
import Media
import Session
internal import SessionFolder

/// Hints for a newcomer after a recording: what was made, how to play it, and what to try next.
struct RecordingGuide {
    private let results: [RecordingResult]
    private let isVirtual: Bool
    /// The current folder; paths below it are shown relative to it.
    private let base: String

    /// Creates the hints for some recordings.
    ///
    /// - Parameters:
    ///   - results: The results of the recordings, in order.
    ///   - isVirtual: Whether the devices were synthetic.
    ///   - base: The path of the current folder.
    init(
        _ results: [RecordingResult], isVirtual: Bool,
        base: String = FileManager.default.currentDirectoryPath
    ) {
        self.results = results
        self.isVirtual = isVirtual
        self.base = base
    }

    /// Three lines; none when nothing was recorded.
    var lines: [String] {
        guard let last = results.last, let first = files(of: last).first else { return [] }
        let folder = shortened(last.folder)
        let next =
            isVirtual
            ? "next: `multicam devices` lists your own cameras and microphones; without --virtual they are recorded."
            : "next: `multicam sync-check \(folder.shellQuoted())` measures how well the tracks line up."
        return [
            made,
            "play it: `ffplay -autoexit \((folder + "/" + first).shellQuoted())`, or open it in any player.",
            next,
        ]
    }

    /// The first line: `made: recordings/x holds 8.0 s in program.mp4, cameras/desk.mov.`
    private var made: String {
        let parts = results.map { result in
            let length = Double(result.manifest.duration_ns) / 1e9
            let files = files(of: result)
            let shown = files.prefix(6).joined(separator: ", ")
            let more = files.count > 6 ? " and \(files.count - 6) more" : ""
            return "\(shortened(result.folder)) holds \(length.decimals(1)) s in \(shown)\(more)"
        }
        return "made: \(parts.joined(separator: "; "))."
    }

    /// The program's file, then those of cameras and microphones, each once and without its later parts.
    private func files(of result: RecordingResult) -> [String] {
        let tracks = result.manifest.tracks
        let ordered = tracks.filter { $0.kind == "program" } + tracks.filter { $0.kind != "program" }
        var files: [String] = []
        for track in ordered where !files.contains(track.file) { files.append(track.file) }
        return files.map { $0.printable() }
    }

    private func shortened(_ path: String) -> String {
        let prefix = base.hasSuffix("/") ? base : base + "/"
        return (path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path).printable(limit: 4096)
    }
}
