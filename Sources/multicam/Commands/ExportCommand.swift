import MulticamArguments
import MulticamContainers
import MulticamInterchange
import MulticamMedia
import MulticamProfiles
import MulticamRendering
import MulticamSessionFolder

/// `multicam export`: writes editing projects with all tracks aligned and the cut applied.
struct ExportCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "export",
        summary: "Export a recording as editor projects, with tracks in sync and the live cut.",
        notes: [
            "Writes edit/session.fcpxml (Final Cut Pro, DaVinci Resolve), edit/session.otio (Premiere Pro, "
                + "Resolve), edit/session.mlt (Kdenlive, Shotcut), and edit/session.edl (other editors). "
                + "Also writes edit/cut.json, which contains the cut with a reason for each shot and can be used with `--cut`. "
                + "Prints the paths, one per line. Existing exports are replaced; media files are not changed.",
            "`--cut live` uses the cuts made during the recording. `voice` shows the person who is speaking. "
                + "If several people or no one is speaking, it shows a camera without a microphone, or all cameras. "
                + "`none` shows the first camera throughout. Any other value is the path of a cut file, such as edit/cut.json.",
            "Motions of automatic framing become key frames. `--framing` frames the cameras of the recording as `multicam render` does.",
            "`--to podcast` writes the mix to edit/podcast.m4a at -16 LUFS, with the markers as chapters. "
                + "report/contact.html is a printable page with frames of each camera at regular intervals, markers, and cuts.",
            "For a group recording fetched with `multicam collect`, one project contains the tracks of all nodes, named NODE/ROLE. "
                + "The nodes' programs are not included.",
            "Exit status: 0 if everything was written; 1 if the folder contains no readable recording, or faces can't be found; 2 if the cut is invalid, or no camera track can be framed; 4 or 7 if a file can't be written; 130 if the command was stopped. "
                + "If a file of the recording is missing, the project is created without it, a message is printed, and the exit status is 0.",
        ],
        positionals: [PositionalSpec("FOLDER", help: "Folder of a finished recording.")],
        options: [
            OptionSpec(
                "to", "FORMAT", isRepeatable: true,
                kind: .keywords(EditFormat.allCases.map(\.rawValue) + ["podcast", "all"]),
                help:
                    "Export format: fcpxml, otio, mlt, edl, podcast, or all. Default: the formats under `edit` in the profile."
            ),
            OptionSpec("title", "T", help: "Project title. Default: the folder's name."),
        ] + AutomaticFramingOption.options + [
            OptionSpec(
                "size", "WxH",
                help: "For `--framing`: size in pixels, such as 1080x1920. Default: the program's size.")
        ] + EditCut.options)

    /// Name of the podcast export in the list of export formats.
    private static let podcast = "podcast"

    private let folder: String
    private let formats: [EditFormat]
    private let makesPodcast: Bool
    /// Whether the user requested all export formats.
    private let isAll: Bool
    private let cut: EditCut
    private let isCutSpecified: Bool
    private let framing: FramingSettings?
    private let size: FrameSize?
    private let title: String?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        folder = arguments.positionals.first ?? ""
        guard !folder.isEmpty else {
            throw arguments.spec.error("FOLDER is empty. Expected the folder of a recording.")
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
                let nearest = word.nearest(among: words).map { ". Did you mean `\($0)`?" } ?? "."
                throw arguments.spec.error(
                    "`--to \(word.printable())`: expected one of \(words.joined(separator: ", "))\(nearest)")
            }
        }
        self.formats = formats
        self.makesPodcast = makesPodcast
        self.isAll = isAll
        cut = try EditCut(arguments)
        isCutSpecified = arguments.optional("cut") != nil
        framing = try AutomaticFramingOption.settings(arguments)
        size = try RenderCommand.size(arguments)
        guard size == nil || framing != nil else {
            throw arguments.spec.error("`--size` requires `--framing`.")
        }
        title = arguments.optional("title")
    }

    func run() async throws -> ExitStatus {
        var session: RecordedSession
        let use: RecordingUse?
        do throws(FileError) {
            session = try RecordedSession(folder: folder)
            use = try RecordingUse.begin(folder)
        } catch {
            Output.message(error.description)
            return error.isPermission ? .noPermission : .failed
        }
        defer { withExtendedLifetime(use) {} }
        session = session.truncatedToFiles(in: folder).withFirstFrames(in: folder)
        if let title { session.title = title.printable() }
        for problem in session.problems { Output.message("\(folder): \(problem)".printable(limit: 1000)) }
        let formats = self.formats.isEmpty && !makesPodcast ? session.formats : self.formats
        guard !formats.isEmpty || makesPodcast else {
            throw Self.spec.error(
                "`--to` is missing, and the recording's profile doesn't set an export format. Expected fcpxml, otio, mlt, edl, podcast, or all."
            )
        }
        let cancellation = try JobTermination.cancellationBySignals()
        let meter = RenderMeter()
        let progress = RenderProgress(cancellation: cancellation) { meter.show($0, $1) }
        var cut = try AutomaticFramingOption.cut(
            of: session, in: folder, framing, chosen: self.cut, isDefault: !isCutSpecified,
            size: size ?? session.size, Self.spec)
        if let framing {
            let (folder, unframed, chosen) = (folder, session, cut)
            let found = try await MediaThread.run(named: "export") {
                try VisionAnalysis(of: unframed, in: folder).run(
                    Set(chosen.shots.flatMap(\.cameras)), progress: progress)
            }
            Output.endStatus()
            for fault in found.faults { Output.message(fault.printable(limit: 1000)) }
            (session, cut) = session.framed(framing, cut, size: size, analyses: found.frames)
        }
        let files =
            formats.isEmpty ? [] : try SessionExport.write(session, cut: cut, formats: formats, in: folder)
        for file in files { Output.data(folder + (folder.hasSuffix("/") ? "" : "/") + file) }
        try await makeCompanions(of: session, cut: cut, progress)
        return .done
    }

    /// Creates the exports that require decoding and encoding: the podcast and the contact sheet.
    private func makeCompanions(
        of session: RecordedSession, cut: Cut, _ progress: RenderProgress
    ) async throws {
        if isAll, !makesPodcast, !session.hasAudio {
            Output.message("The recording has no audio, so no podcast was written.")
        }
        let (folder, makesPodcast) = (folder, makesPodcast || (isAll && session.hasAudio))
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
