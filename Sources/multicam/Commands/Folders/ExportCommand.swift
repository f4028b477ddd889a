import Arguments
import Containers
import Interchange
import Media
import Profiles
import Rendering
import SessionFolder

/// `multicam export`: writes projects for editors, with all tracks in place and the cut in them.
struct ExportCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "export",
        summary: "Write a recording as projects for editors: every track in place, and the cut.",
        notes: [
            "Writes edit/session.fcpxml (Final Cut Pro, DaVinci Resolve), edit/session.otio (Premiere Pro, Resolve), edit/session.mlt "
                + "(Kdenlive, Shotcut), edit/session.edl (any other), and edit/cut.json, the cut with a reason for each shot, which "
                + "`--cut` reads back. Prints their paths, one a line. Files that exist are replaced; media files are not touched.",
            "`--cut live` is what the program showed while it was recorded. `voice` shows whoever speaks, and where several speak or "
                + "nobody does a camera that no microphone belongs to, else a grid. `none` is the first camera throughout; anything "
                + "else is the name of a file like edit/cut.json.",
            "`--to podcast` writes the mix as edit/podcast.m4a, at -16 LUFS with the marks as chapters. report/contact.html shows a frame of "
                + "each camera every so often, with marks and cuts: one page to print.",
            "Of a recording of a group, collected by `multicam collect`, one project has the tracks of all nodes, as NODE/ROLE; their programs "
                + "are not in it.",
            "Exit status: 0 when all is written, also where a file of the recording is missing and the project is made without it: "
                + "that is said. 1 when there is no recording to read, 2 for a cut that is none, 4 or 7 when a file cannot be "
                + "written.",
        ],
        positionals: [PositionalSpec("FOLDER", help: "The folder of a finished recording.")],
        options: [
            OptionSpec(
                "to", "FORMAT", isRepeatable: true,
                kind: .words(EditFormat.allCases.map(\.rawValue) + ["podcast", "all"]),
                help:
                    "A format: fcpxml, otio, mlt, edl, podcast, or all. Default: what the profile's `edit` says."
            ),
            OptionSpec("title", "T", help: "The title of the project (the folder's name)."),
        ] + EditCut.options)

    /// The word for the podcast among the formats of projects.
    private static let podcast = "podcast"

    private let folder: String
    private let formats: [EditFormat]
    private let makesPodcast: Bool
    /// Whether all is asked for that can be made.
    private let isAll: Bool
    private let cut: EditCut
    private let title: String?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        folder = arguments.positionals.first ?? ""
        guard !folder.isEmpty else {
            throw arguments.spec.error("FOLDER is empty: expected the folder of a recording.")
        }
        var formats: [EditFormat] = []
        var (makesPodcast, isAll) = (false, false)
        for word in arguments.all("to").flatMap({ $0.split(separator: ",") }).map(String.init) {
            if word == "all" {
                (formats, isAll) = (EditFormat.allCases, true)
            } else if word == Self.podcast {
                makesPodcast = true
            } else if let format = EditFormat(rawValue: word) {
                if !formats.contains(format) { formats.append(format) }
            } else {
                let words = EditFormat.allCases.map(\.rawValue) + [Self.podcast, "all"]
                let nearest = word.nearest(among: words).map { "; did you mean `\($0)`?" } ?? "."
                throw arguments.spec.error(
                    "`--to \(word.printable())`: expected \(words.joined(separator: ", "))\(nearest)")
            }
        }
        self.formats = formats
        self.makesPodcast = makesPodcast
        self.isAll = isAll
        cut = try EditCut(arguments)
        title = arguments.optional("title")
    }

    func run() async throws -> ExitStatus {
        var session: RecordedSession
        do throws(FileError) {
            session = try RecordedSession(folder: folder)
        } catch {
            Output.message(error.description)
            return error.isPermission ? .noPermission : .failed
        }
        session = session.withFirstFrames(in: folder)
        if let title { session.title = title.printable() }
        for problem in session.problems { Output.message("\(folder): \(problem)".printable(limit: 1000)) }
        let formats = self.formats.isEmpty && !makesPodcast ? session.formats : self.formats
        guard !formats.isEmpty || makesPodcast else {
            throw Self.spec.error(
                "`--to` is missing, and the profile of the recording names no format: expected fcpxml, otio, mlt, edl, podcast or all."
            )
        }
        let cut = try self.cut.cut(of: session, in: folder)
        let files =
            formats.isEmpty ? [] : try SessionExport.write(session, cut: cut, formats: formats, in: folder)
        for file in files { Output.data(folder + (folder.hasSuffix("/") ? "" : "/") + file) }
        try await makeCompanions(of: session, cut: cut)
        return .done
    }

    /// Makes what is decoded and encoded: the podcast, and the page with frames of all cameras.
    private func makeCompanions(of session: RecordedSession, cut: Cut) async throws {
        SignalInbox.open()
        let cancellation = Cancellation()
        SignalInbox.listen { request in
            if case .stop = request { cancellation.cancel() }
        }
        let meter = RenderMeter()
        let progress = RenderProgress(cancellation: cancellation) { meter.show($0, $1) }
        if isAll, !makesPodcast, !session.isHeard {
            Output.message("nothing is heard in this recording, so there is no podcast among what is made.")
        }
        let (folder, makesPodcast) = (folder, makesPodcast || (isAll && session.isHeard))
        let podcast = try await MediaThread.run(named: "export") {
            if !session.angles.isEmpty { _ = try ContactSheet(of: session, in: folder, cut: cut).write() }
            return makesPodcast ? try Podcast.write(session, in: folder, progress: progress) : nil
        }
        Output.endStatus()
        guard let podcast else { return }
        for fault in podcast.faults { Output.message(fault.printable(limit: 1000)) }
        Output.data(podcast.path)
    }
}
