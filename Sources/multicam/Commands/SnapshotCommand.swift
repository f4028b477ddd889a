import FoundationEssentials
import MulticamArguments
import MulticamControl
import MulticamMedia
internal import MulticamPlan
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamStills

/// `multicam snapshot`: takes stills from cameras.
struct SnapshotCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "snapshot",
        summary: "Take a still image with one or all cameras at full quality.",
        notes: [
            "CAMERA is part of a name, /dev/video0, usb:PATH, serial:SERIAL, position:front, virtual:…, or any (default). "
                + "The camera is opened at its largest frame size. "
                + "With --profile, the first camera of the profile is used with the profile's formats and controls. "
                + "With --profile and --all, all of the profile's cameras are used.",
            "JPEG data from the camera is saved unchanged, with the capture metadata added as Exif data. "
                + "The rotation is stored only as Exif data; the pixels are not rotated.",
            "With --recording, stills are taken with the cameras of the running `multicam record`. "
                + "CAMERA is then a role; without it, all cameras are used. "
                + "The recording loses no frames, and the stills are saved in its session folder.",
            "The paths of the files are printed, one per line.",
        ],
        positionals: [PositionalSpec("CAMERA", isOptional: true, help: "Camera to use. Default: `any`.")],
        options: ProfileOptions.specs + [
            OptionSpec("all", help: "Use all cameras of the profile, or all connected cameras."),
            OptionSpec(
                "recording",
                help: "Use the cameras of the running recording, and save the stills in its session folder."),
            OptionSpec(
                "output", "FILE|DIR",
                help:
                    "Output file (.jpg), or output folder for files with default names. Default: the current folder."
            ),
            OptionSpec(
                "live", "T",
                help: "Also write a clip of this length around the still, such as 1.5s. Maximum: 10s."),
            OptionSpec(
                "settle", "T", help: "Time for exposure and focus to settle before the still. Default: 1s."),
            OptionSpec("json", help: "Print JSON."),
        ])

    private enum Source {
        case camera(String)
        case allCameras
        case profile(SessionConfiguration, takesAll: Bool)
        /// Take stills from the running recording: from the camera with this role, or from all cameras if
        /// `role` is `nil`.
        case recording(role: String?)
    }

    private let source: Source
    private let folder: String
    /// File name of a single still; `nil` to use default names.
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
            let others = ["output", "live", "settle"]
            for option in ProfileOptions.specs.map(\.name) + others
            where arguments.flag(option) {
                throw arguments.spec.error(
                    "`--\(option)` can't be combined with `--recording`, which uses the settings of the running recording."
                )
            }
            guard camera == nil || !arguments.flag("all") else {
                throw arguments.spec.error("CAMERA and `--all` can't be combined. Use only one of them.")
            }
            return .recording(role: camera)
        }
        if arguments.flag("profile") {
            guard camera == nil else {
                throw arguments.spec.error("CAMERA and `--profile` can't be combined. Use only one of them.")
            }
            return .profile(try ProfileOptions.request(arguments), takesAll: arguments.flag("all"))
        }
        for option in ["camera", "mic", "virtual", "virtual-pattern"]
        where arguments.flag(option) {
            throw arguments.spec.error(
                "`--\(option)` requires `--profile`. To use one camera, specify it without an option: `multicam snapshot /dev/video0`."
            )
        }
        guard arguments.flag("all") else { return .camera(camera ?? "any") }
        guard camera == nil else {
            throw arguments.spec.error("CAMERA and `--all` can't be combined. Use only one of them.")
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
                "`--output \(output.printable())` is a single file, but `--all` creates several. Specify a folder."
            )
        }
        let slash = output.lastIndex(of: "/")
        let folder = slash.map { $0 == output.startIndex ? "/" : String(output[..<$0]) } ?? "."
        return (folder, slash.map { String(output[output.index(after: $0)...]) } ?? output)
    }

    func run() async throws -> ExitStatus {
        let command = self
        let outcome: Result<ExitStatus, any Error> = await withCheckedContinuation { continuation in
            MediaThread.startWhenPossible(name: "snapshot") {
                continuation.resume(returning: Result { try command.takeStills() })
            }
        }
        return try outcome.get()
    }

    private func takeStills() throws -> ExitStatus {
        switch source {
        case .camera(let selector): try takeStills(with: try SessionSetup(stillsOf: selector))
        case .profile(let request, let takesAll):
            let setup = try SessionSetup(stillsOf: request, takesAll: takesAll)
            for note in setup.plan.notes { Output.message(note) }
            try takeStills(with: setup)
        case .allCameras: return try takeStillsOfAllCameras()
        case .recording(let role): return try takeStillsOfRecording(role)
        }
        return .done
    }

    /// Takes stills from all cameras, and continues after a failure. The cameras are used one after another,
    /// because the USB bandwidth is rarely sufficient for several cameras at their largest frame sizes.
    private func takeStillsOfAllCameras() throws -> ExitStatus {
        let cameras = DeviceListing().cameras
        guard !cameras.isEmpty else {
            throw DeviceError(device: "any", operation: "searching for a camera", reason: .notFound)
        }
        var failures: [any Error] = []
        for (index, camera) in cameras.enumerated() {
            do {
                try takeStills(with: try SessionSetup(stillsOf: camera.selector, role: "camera-\(index + 1)"))
            } catch {
                Output.message("\(error)".printable(limit: 4000))
                failures.append(error)
            }
        }
        return failures.first.map { Multicam.status(of: $0) } ?? .done
    }

    private func takeStillsOfRecording(_ role: String?) throws -> ExitStatus {
        let reply: ControlReply
        do throws(ControlError) {
            reply = try ControlClient().send(
                CommandRequest(arguments: ["snapshot"] + [role].compactMap { $0 }))
        } catch {
            UnfinishedRecordingHints.printHints(after: error)
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

    private func takeStills(with setup: SessionSetup) throws {
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

    private static func json(_ still: Still, _ files: StillFiles, _ setup: SessionSetup) -> JSONValue {
        var fields: [String: JSONValue] = [
            "role": .string(still.role), "file": .string(files.still.printable(limit: 4096)),
            "camera": .string((setup.cameras[still.role]?.device.name ?? "").printable()),
            "width": .integer(Int64(still.frame.size.width)),
            "height": .integer(Int64(still.frame.size.height)),
            "rotation": .integer(Int64(still.metadata.rotation.degrees)),
            "taken": .string(
                still.metadata.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "pixel": .string(still.frame.pixel.rawValue),
        ]
        fields["clip"] = files.clip.map { .string($0.printable(limit: 4096)) } ?? .null
        fields["exposure_ns"] = still.metadata.exposureTime.map { .integer($0.count) } ?? .null
        return .object(fields)
    }
}
