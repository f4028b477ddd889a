import Arguments
import Control
import FoundationEssentials
import Media
internal import Plan
import Session
import SessionFolder
import Setup
import Stills

/// `multicam snapshot`: takes stills of cameras.
struct SnapshotCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "snapshot",
        summary: "Take a still of a camera, or of all, at full quality.",
        notes: [
            "CAMERA is a part of a name, /dev/video0, usb:PATH, serial:SERIAL, position:front, virtual:… or any, which is "
                + "what is taken where nothing is named. It is opened in its largest size; with --profile in the profile's "
                + "formats and with its controls, the first of its cameras or --all.",
            "A camera's own JPEG is kept as it is, with what is known of the moment in its Exif data. Rotation is "
                + "there too; the pixels stay as captured.",
            "With --recording the cameras are those that `multicam record` has in use: CAMERA is a role then, all of them "
                + "where none is named. The recording loses nothing by it, and the stills lie in its session folder.",
            "The files' paths are printed, a line each.",
        ],
        positionals: [PositionalSpec("CAMERA", isOptional: true, help: "Which camera.")],
        options: ProfileOptions.specs + [
            OptionSpec("all", help: "All cameras: of the profile, or all that are there."),
            OptionSpec("recording", help: "Out of the recording that runs, into its session folder."),
            OptionSpec(
                "output", "FILE|DIR",
                help: "A file (.jpg), or a folder for files with usual names. Default: here."),
            OptionSpec(
                "live", "T", help: "Write the clip around the still too, for example 1.5s: at most 10s."),
            OptionSpec(
                "settle", "T", help: "How long exposure and focus have before the still. Default: 1s."),
            OptionSpec("json", help: "Print JSON."),
        ])

    private enum Source {
        case camera(String)
        case allCameras
        case profile(SetupRequest, takesAll: Bool)
        /// Cameras of the running recording: that of a role, or all when it is `nil`.
        case recording(role: String?)
    }

    private let source: Source
    private let folder: String
    /// The file name of a single still; `nil` for the usual names.
    private let fileName: String?
    private let live: Nanoseconds
    private let settling: Nanoseconds
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        source = try Self.source(arguments)
        (folder, fileName) = try Self.output(arguments, source)
        live = try arguments.time("live", in: .milliseconds(100)...StillCamera.longestClip) ?? .zero
        settling = try arguments.time("settle", in: .zero ... .seconds(60)) ?? .seconds(1)
        wantsJSON = arguments.flag("json")
    }

    private static func source(_ arguments: ParsedArguments) throws(UsageError) -> Source {
        let camera = arguments.positionals.first
        if arguments.flag("recording") {
            for option in ["profile", "camera", "mic", "virtual", "output", "live", "settle"]
            where arguments.flag(option) {
                throw arguments.spec.error(
                    "`--\(option)` does not go with `--recording`: the recording has its own.")
            }
            guard camera == nil || !arguments.flag("all") else {
                throw arguments.spec.error("a camera and `--all` do not go together: name one of them.")
            }
            return .recording(role: camera)
        }
        if arguments.flag("profile") {
            guard camera == nil else {
                throw arguments.spec.error("a camera and `--profile` do not go together: name one of them.")
            }
            return .profile(try ProfileOptions.request(arguments), takesAll: arguments.flag("all"))
        }
        for option in ["camera", "mic", "virtual"] where arguments.flag(option) {
            throw arguments.spec.error(
                "`--\(option)` goes with `--profile`: name a profile, too, or one camera without an option, as in `multicam snapshot /dev/video0`."
            )
        }
        guard arguments.flag("all") else { return .camera(camera ?? "any") }
        guard camera == nil else {
            throw arguments.spec.error("a camera and `--all` do not go together: name one of them.")
        }
        return .allCameras
    }

    private static func output(
        _ arguments: ParsedArguments, _ source: Source
    ) throws(UsageError) -> (folder: String, fileName: String?) {
        guard let output = arguments.optional("output") else { return (".", nil) }
        let lowercased = output.lowercased()
        guard lowercased.hasSuffix(".jpg") || lowercased.hasSuffix(".jpeg") else { return (output, nil) }
        guard !arguments.flag("all") else {
            throw arguments.spec.error(
                "`--output \(output.printable())` is one file, and `--all` makes several: name a folder.")
        }
        let slash = output.lastIndex(of: "/")
        let folder = slash.map { $0 == output.startIndex ? "/" : String(output[..<$0]) } ?? "."
        return (folder, slash.map { String(output[output.index(after: $0)...]) } ?? output)
    }

    func run() async throws -> ExitStatus {
        let command = self
        let outcome: Result<ExitStatus, any Error> = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "snapshot") {
                continuation.resume(returning: Result { try command.takeAll() })
            }
        }
        return try outcome.get()
    }

    private func takeAll() throws -> ExitStatus {
        switch source {
        case .camera(let selector): try take(try SessionSetup(stillsOf: selector))
        case .profile(let request, let takesAll):
            let setup = try SessionSetup(stillsOf: request, takesAll: takesAll)
            for note in setup.plan.notes { Output.message(note) }
            try take(setup)
        case .allCameras: return try takeEach()
        case .recording(let role): return try takeOfRecording(role)
        }
        return .done
    }

    /// Takes stills of all cameras, one after the other, because in their largest sizes several seldom fit on a bus. A failure
    /// does not stop the rest.
    private func takeEach() throws -> ExitStatus {
        let cameras = DeviceListing().cameras
        guard !cameras.isEmpty else {
            throw DeviceError(device: "any", operation: "search for a camera", reason: .notFound)
        }
        var failures: [any Error] = []
        for (index, camera) in cameras.enumerated() {
            do {
                try take(try SessionSetup(stillsOf: camera.selector, role: "camera-\(index + 1)"))
            } catch {
                Output.message("\(error)".printable(limit: 4000))
                failures.append(error)
            }
        }
        return failures.first.map { Multicam.status(of: $0) } ?? .done
    }

    private func takeOfRecording(_ role: String?) throws -> ExitStatus {
        let reply: ControlReply
        do throws(ControlError) {
            reply = try ControlClient().ask(
                try CommandRequest(words: ["snapshot"] + [role].compactMap { $0 }))
        } catch {
            UnfinishedText.tell(after: error)
            throw error
        }
        for still in reply.stills ?? [] {
            if wantsJSON {
                Output.data(JSONText.line(Self.json(still)))
            } else {
                for line in ControlText.lines([still]) { Output.data(line) }
            }
        }
        if !reply.ok { Output.message(reply.text.printable(limit: 1000)) }
        return reply.ok ? .done : reply.usage ? .usage : .failed
    }

    private static func json(_ still: ControlReply.Still) -> JSONValue {
        var fields: [String: JSONValue] = [
            "role": .string(still.role.printable()), "file": .string(still.file.printable(limit: 4096)),
        ]
        fields["clip"] = still.clip.map { .string($0.printable(limit: 4096)) } ?? .null
        return .object(fields)
    }

    private func take(_ setup: SessionSetup) throws {
        let snapshot = try Snapshot(setup, live: live, settling: settling)
        let place = StillFolder(path: folder, version: MulticamVersion.current)
        for still in try snapshot.take() {
            let files = try snapshot.write(still, into: place, as: fileName)
            if wantsJSON {
                Output.data(JSONText.line(Self.json(still, files, setup)))
            } else {
                Output.data(files.still.printable(limit: 4096))
                if let clip = files.clip { Output.data(clip.printable(limit: 4096)) }
            }
        }
    }

    private static func json(_ still: Still, _ files: StillFolder.Files, _ setup: SessionSetup) -> JSONValue {
        var fields: [String: JSONValue] = [
            "role": .string(still.role), "file": .string(files.still.printable(limit: 4096)),
            "camera": .string((setup.cameras[still.role]?.device.name ?? "").printable()),
            "width": .integer(Int64(still.frame.size.width)),
            "height": .integer(Int64(still.frame.size.height)),
            "rotation": .integer(Int64(still.facts.rotation.degrees)),
            "taken": .string(
                still.facts.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "pixel": .string(still.frame.pixel.rawValue),
        ]
        fields["clip"] = files.clip.map { .string($0.printable(limit: 4096)) } ?? .null
        fields["exposure_ns"] = still.facts.exposureTime.map { .integer($0.count) } ?? .null
        return .object(fields)
    }
}
