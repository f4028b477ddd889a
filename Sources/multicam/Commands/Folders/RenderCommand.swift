import Arguments
import Interchange
import Media
import Profiles
import Rendering
import SessionFolder
import Setup

/// `multicam render`: makes the program of a recording anew from its tracks.
struct RenderCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "render",
        summary: "Make the program of a recording anew from its tracks: in another layout, size or cut.",
        notes: [
            "Without options it is the program as it was switched while it was recorded. What is made is the same however often and "
                + "on however many processors it is made. Frames keep the recording's rate.",
            "The file has its name only when it is whole; Ctrl-C leaves nothing of it. Marks become chapters.",
            "Of a recording of a group, collected by `multicam collect`, it has the cameras and microphones of all nodes, as NODE/ROLE: the first "
                + "camera, or what --layout or --cut say; a profile has the roles of one computer, and is for the recordings of one.",
            "Cameras and microphones whose files are missing are named and left out.",
            "Prints the file's path. Exit status: 0 when it is made, 1 when nothing can be rendered, 2 for options that do not fit the "
                + "recording, 4 without permission to write, 7 when the disk is full, 130 when it was stopped.",
        ],
        positionals: [PositionalSpec("FOLDER", help: "The folder of a finished recording.")],
        options: [
            OptionSpec(
                "profile", "P",
                help:
                    "The layout, size, encoder and mix of this profile's program. Its roles must be the recording's."
            ),
            OptionSpec(
                "layout", "LAYOUT", kind: .words(ProgramSettings.Layout.allCases.map(\.rawValue)),
                help: "pip, side-by-side, grid or single, with the camera in front that the cut shows."),
            OptionSpec("size", "WxH", help: "Size in pixels, for example 1080x1920. Default: the program's."),
            OptionSpec("from", "T", help: "Where to begin, since the recording's beginning: 90, 1:30, 2m."),
            OptionSpec("to", "T", help: "Where to end."),
            OptionSpec(
                "loudness", "LUFS",
                help: "Integrated loudness from -40 to -5 (EBU R 128), with true peaks below -1 dBTP."),
            OptionSpec(
                "proxies", help: "Also make small copies of the cameras' files for editing, in edit/proxies."),
            OptionSpec(
                "output", "FILE", help: "The file, also -o FILE. Default: edit/render-N.mp4 in FOLDER."),
        ] + EditCut.options)

    private let folder: String
    private let profile: String?
    private let layout: ProgramSettings.Layout?
    private let cut: EditCut
    /// Whether the cut decides which cameras are shown, and not the profile.
    private let namesCut: Bool
    private let size: FrameSize?
    private let from: Nanoseconds
    private let to: Nanoseconds?
    private let loudness: Double?
    private let makesProxies: Bool
    private let output: String?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let spec = arguments.spec
        folder = arguments.positionals.first ?? ""
        guard !folder.isEmpty else {
            throw spec.error("FOLDER is empty: expected the folder of a recording.")
        }
        profile = arguments.optional("profile")
        cut = try EditCut(arguments)
        namesCut = arguments.optional("cut") != nil
        output = arguments.optional("output")
        makesProxies = arguments.flag("proxies")
        layout = try Self.read("layout", of: arguments, ProgramSettings.Layout.init(rawValue:)) {
            "one of \(ProgramSettings.Layout.allCases.map(\.rawValue).joined(separator: ", "))"
        }
        guard layout == nil || profile == nil else {
            throw spec.error("`--profile` has a layout, and `--layout` names another: give one of them.")
        }
        let sides = 64...8192
        size = try Self.read(
            "size", of: arguments,
            {
                FrameSize($0).flatMap { size in
                    sides.contains(size.width) && sides.contains(size.height)
                        && (size.width | size.height) & 1 == 0 ? size : nil
                }
            }
        ) { "two even numbers from 64 to 8192 such as 1080x1920" }
        let times = Nanoseconds.zero...Nanoseconds.seconds(1_000_000)
        from = try arguments.time("from", in: times) ?? .zero
        to = try arguments.time("to", in: times)
        if let to, to <= from {
            throw spec.error("`--to` is not after `--from`: expected a later time.")
        }
        loudness = try Self.read(
            "loudness", of: arguments, { Double($0).flatMap { (-40...(-5)).contains($0) ? $0 : nil } }
        ) { "a number from -40 to -5 such as -16" }
    }

    private static func read<Value>(
        _ option: String, of arguments: ParsedArguments, _ read: (String) -> Value?, expected: () -> String
    ) throws(UsageError) -> Value? {
        guard let text = arguments.optional(option) else { return nil }
        guard let value = read(text) else {
            throw arguments.spec.error("`--\(option) \(text.printable())`: expected \(expected()).")
        }
        return value
    }

    func run() async throws -> ExitStatus {
        SignalInbox.open()
        let cancellation = Cancellation()
        SignalInbox.listen { request in
            if case .stop = request { cancellation.cancel() }
        }
        let session: RecordedSession
        do throws(FileError) {
            session = try RecordedSession(folder: folder)
        } catch {
            Output.message(error.description)
            return error.isPermission ? .noPermission : .failed
        }
        for problem in session.problems { Output.message(problem.printable(limit: 1000)) }
        let meter = RenderMeter()
        let progress = RenderProgress(cancellation: cancellation) { meter.show($0, $1) }
        let (path, faults) = try await MediaThread.run(named: "render") { try render(session, progress) }
        Output.endStatus()
        for fault in faults { Output.message(fault.printable(limit: 1000)) }
        Output.data(path)
        return .done
    }

    /// Makes what is asked for.
    ///
    /// - Returns: Path of the file, and what could not be read.
    private func render(
        _ session: RecordedSession, _ progress: RenderProgress
    ) throws -> (path: String, faults: [String]) {
        let renderer = try settings(for: session).renderer(of: session, in: folder)
        let faults = makesProxies ? try Proxies(of: session, in: folder).run(progress: progress) : []
        let outcome = try renderer.value.run(to: output, progress: progress)
        return (outcome.path, renderer.problems + faults + outcome.faults)
    }

    /// What the options ask for, of this recording.
    private func settings(for session: RecordedSession) throws -> RenderSettings {
        var settings = RenderSettings(
            cut: try cut.cut(of: session, in: folder), size: size, loudness: loudness)
        if let profile {
            try settings.follow(
                try SessionSetup.library.load(profile), named: profile, for: session, keepsCut: namesCut)
        }
        if let layout { settings.cut = settings.cut.laid(out: layout, with: session.angles.map(\.role)) }
        let length = Nanoseconds(session.duration.nanoseconds)
        guard from < length else {
            throw Self.spec.error(
                "`--from \(from.text)`: the recording ends at \(length.words). Begin earlier.")
        }
        let first = session.frame(at: MediaTime(nanoseconds: from.count))
        let end =
            to.map { session.rate.ticks(before: MediaTime(nanoseconds: $0.count)) } ?? session.frameCount
        settings.ticks = first..<max(first + 1, min(end, session.frameCount))
        return settings
    }
}
