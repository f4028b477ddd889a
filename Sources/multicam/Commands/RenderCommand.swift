import MulticamArguments
import MulticamContainers
import MulticamEncoding
import MulticamInterchange
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamRendering
import MulticamSessionFolder
import MulticamSetup

/// `multicam render`: re-renders the program of a recording from its tracks.
struct RenderCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "render",
        summary:
            "Render a recording's program again from its tracks, with other settings.",
        notes: [
            "Without options, the program is rendered as it was switched during the recording. "
                + "The output is identical on every run and with any number of processors. It has the frame rate of the recording.",
            "The file gets its final name only when it is complete; Ctrl-C leaves no partial file. Markers become chapters.",
            "A group recording fetched with `multicam collect` has the cameras and microphones of all nodes, named NODE/ROLE. "
                + "The program shows the first camera, or the cameras given by --layout or --cut. "
                + "--profile works only with recordings of one computer.",
            "`--framing` searches the camera files for faces. The faces are stored in "
                + "edit/vision.ndjson and used again as long as the files are the same. `--framing speaker` also uses `--cut voice` if each microphone has a "
                + "camera. In a portrait picture, it then shows two speakers one above the other if both or no one is speaking.",
            "Cameras and microphones with missing files are reported and left out.",
            "Prints the file's path. Exit status: 0 if the file was rendered, 1 if nothing can be rendered, "
                + "2 if the options don't match the recording, 4 if you don't have write permission, 7 if the disk is full, 130 if rendering was stopped.",
        ],
        positionals: [PositionalSpec("FOLDER", help: "Folder of a finished recording.")],
        options: [
            OptionSpec(
                "profile", "P",
                help:
                    "Use the layout, size, encoder, mix, and processing of this profile. Its roles must match the recording's roles."
            ),
            OptionSpec(
                "layout", "LAYOUT", kind: .keywords(ProgramLayout.names),
                help:
                    "Layout: \(ProfileValue.list(ProgramLayout.names)). The main camera follows the cut."),
            OptionSpec(
                "size", "WxH", help: "Size in pixels, such as 1080x1920. Default: the program's size."),
            OptionSpec(
                "from", "T",
                help: "Start time from the beginning of the recording, such as 90, 1:30, or 2m. Default: 0."),
            OptionSpec(
                "to", "T",
                help: "End time from the beginning of the recording. Default: the end of the recording."),
            OptionSpec(
                "loudness", "LUFS",
                help: "Integrated loudness in LUFS (EBU R 128), -40 to -5, with true peaks below -1 dBTP."),
            OptionSpec(
                "unprocessed",
                help: "Mix the microphones without filters (`processing`)."),
            OptionSpec(
                "proxies", help: "Also create small copies of the camera files for editing, in edit/proxies."),
            OptionSpec(
                "output", "FILE", help: "Output file; also -o FILE. Default: edit/render-N.mp4 in FOLDER."),
        ] + AutomaticFramingOption.options + EditCut.options)

    private let folder: String
    private let profile: String?
    private let layout: ProgramLayout?
    private let cut: EditCut
    /// Whether the command line specifies a cut, which then determines the visible cameras instead of the
    /// profile.
    private let isCutSpecified: Bool
    private let size: FrameSize?
    private let framing: FramingSettings?
    private let from: Nanoseconds
    private let to: Nanoseconds?
    private let loudness: Double?
    private let isProcessed: Bool
    private let makesProxies: Bool
    private let output: String?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let spec = arguments.spec
        folder = arguments.positionals.first ?? ""
        guard !folder.isEmpty else {
            throw spec.error("FOLDER is empty. Expected the folder of a recording.")
        }
        profile = arguments.optional("profile")
        cut = try EditCut(arguments)
        isCutSpecified = arguments.optional("cut") != nil
        output = arguments.optional("output")
        makesProxies = arguments.flag("proxies")
        isProcessed = !arguments.flag("unprocessed")
        layout = try Self.read("layout", of: arguments, ProgramLayout.init(rawValue:)) {
            "one of \(ProgramLayout.names.joined(separator: ", "))"
        }
        guard layout == nil || profile == nil else {
            throw spec.error(
                "`--profile` and `--layout` can't be combined: both set the layout. Use only one of them.")
        }
        size = try Self.size(arguments)
        framing = try AutomaticFramingOption.settings(arguments)
        let times = Nanoseconds.zero...Nanoseconds.seconds(1_000_000)
        from = try arguments.time("from", in: times) ?? .zero
        to = try arguments.time("to", in: times)
        if let to, to <= from {
            throw spec.error("`--to` must be later than `--from`. Specify a later end time.")
        }
        loudness = try Self.read(
            "loudness", of: arguments, { Double($0).flatMap { (-40...(-5)).contains($0) ? $0 : nil } }
        ) { "a number from -40 to -5, such as -16" }
    }

    /// Reads the option `--size`.
    static func size(_ arguments: ParsedArguments) throws(UsageError) -> FrameSize? {
        let sides = 64...8192
        return try read(
            "size", of: arguments,
            {
                FrameSize($0).flatMap { size in
                    sides.contains(size.width) && sides.contains(size.height)
                        && (size.width | size.height) & 1 == 0 ? size : nil
                }
            }
        ) { "two even numbers from 64 to 8192, such as 1080x1920" }
    }

    static func read<Value>(
        _ option: String, of arguments: ParsedArguments, _ read: (String) -> Value?, expected: () -> String
    ) throws(UsageError) -> Value? {
        guard let text = arguments.optional(option) else { return nil }
        guard let value = read(text) else {
            throw arguments.spec.error("`--\(option) \(text.printable())`: expected \(expected()).")
        }
        return value
    }

    func run() async throws -> ExitStatus {
        let cancellation = try JobTermination.cancellationBySignals()
        let session: RecordedSession
        let use: RecordingUse?
        do throws(FileError) {
            session = try RecordedSession(folder: folder).truncatedToFiles(in: folder)
            use = try RecordingUse.begin(folder)
        } catch {
            Output.message(error.description)
            return error.isPermission ? .noPermission : .failed
        }
        defer { withExtendedLifetime(use) {} }
        for problem in session.problems { Output.message(problem.printable(limit: 1000)) }
        let meter = RenderMeter()
        let progress = RenderProgress(cancellation: cancellation) { meter.show($0, $1) }
        let (path, faults) = try await MediaThread.run(named: "render") { try render(session, progress) }
        Output.endStatus()
        for fault in faults { Output.message(fault.printable(limit: 1000)) }
        Output.data(path)
        return .done
    }

    /// Renders the output that the user requested.
    ///
    /// - Returns: The path of the rendered file, and one sentence for each part that couldn't be read.
    private func render(
        _ session: RecordedSession, _ progress: RenderProgress
    ) throws -> (path: String, faults: [String]) {
        var settings = try self.settings(for: session)
        var (framed, faults) = (session, [String]())
        if let framing { (framed, faults) = try settings.frame(framing, session, in: folder, progress) }
        let renderer = settings.renderer(of: framed, in: folder)
        if makesProxies { faults += try Proxies(of: session, in: folder).run(progress: progress) }
        let outcome = try renderer.value.run(to: output, progress: progress)
        return (outcome.path, renderer.problems + faults + outcome.faults)
    }

    /// Returns the render settings for a recording according to the command-line options.
    private func settings(for session: RecordedSession) throws -> RenderSettings {
        let loaded = try profile.map { try SessionSetup.library.load($0) }
        let cut = try AutomaticFramingOption.cut(
            of: session, in: folder, framing, chosen: self.cut,
            isDefault: !isCutSpecified && profile == nil && layout == nil,
            size: size ?? loaded?.program?.size ?? session.size, Self.spec)
        var settings = RenderSettings(
            cut: cut, size: size, loudness: loudness,
            isProcessed: isProcessed)
        if let profile, let loaded {
            try settings.apply(loaded, named: profile, for: session, keepsCut: isCutSpecified)
        }
        if let layout { settings.cut = settings.cut.withLayout(layout, roles: session.angles.map(\.role)) }
        let length = Nanoseconds(session.duration.nanoseconds)
        guard from < length else {
            throw Self.spec.error(
                "`--from \(from.text)`: the recording ends at \(length.displayText). Specify an earlier start time."
            )
        }
        let first = session.frame(at: MediaTime(nanoseconds: from.count))
        let end =
            to.map { session.rate.ticks(before: MediaTime(nanoseconds: $0.count)) } ?? session.frameCount
        settings.ticks = first..<max(first + 1, min(end, session.frameCount))
        return settings
    }
}

/// The settings of a rendering, derived from command-line options and a profile.
struct RenderSettings: Sendable {
    var cut: Cut
    var size: FrameSize?
    var loudness: Double?
    /// Filters of the microphones by role, and of the mix (`program`); `nil` for those of the program.
    private var processing: [String: SoundProcessing]?
    var ticks: Range<Int64> = 0..<0
    private var style: InsetStyle?
    private var video: VideoSettings?
    private var bitrate: Int?
    private var gains: [String: Double]?

    /// Creates settings without a profile. Each parameter sets the property of the same name.
    init(cut: Cut, size: FrameSize?, loudness: Double?, isProcessed: Bool) {
        processing = isProcessed ? nil : [:]
        self.cut = cut
        self.size = size
        self.loudness = loudness
    }

    /// Applies the video and audio settings of a profile's program.
    ///
    /// - Parameters:
    ///   - profile: The profile with the settings.
    ///   - name: The profile's name as the user entered it, for messages.
    ///   - session: The recording to render or cut.
    ///   - keepsCut: Whether to keep the current cut instead of deriving a cut from the profile.
    /// - Throws: `UsageError` if the profile doesn't define a program, or if it uses roles that aren't in the
    ///   recording.
    mutating func apply(
        _ profile: Profile, named name: String, for session: RecordedSession, keepsCut: Bool
    ) throws(UsageError) {
        guard let program = profile.program else {
            throw RenderCommand.spec.error(
                "`--profile \(name.printable())`: the profile has no program. Use a profile with a program.")
        }
        let roles = session.angles.map(\.role)
        guard !(session.angles + session.microphones).contains(where: { $0.origin != nil }) else {
            throw RenderCommand.spec.error(
                "`--profile \(name.printable())`: the profile has the roles of one computer, but this is a group recording with the roles "
                    + "\(roles.joined(separator: ", ")). Use `--layout`, `--size`, and `--cut` instead."
            )
        }
        if let unknown = program.shown.first(where: { !roles.contains($0) }) {
            throw RenderCommand.spec.error(
                "`--profile \(name.printable())`: this profile's program shows \(unknown.printable()), but the recording has "
                    + "\(roles.isEmpty ? "no cameras" : "the cameras \(roles.joined(separator: ", "))"). Use a profile with these roles."
            )
        }
        let heardRoles = session.microphones.map(\.role)
        // If the recording doesn't have microphone tracks, the recorded mix of the program is used.
        if !heardRoles.isEmpty, let unknown = program.audio.mix.first(where: { !heardRoles.contains($0) }) {
            throw RenderCommand.spec.error(
                "`--profile \(name.printable())`: the program mixes \(unknown.printable()), but the recording has the microphones "
                    + "\(heardRoles.joined(separator: ", ")). Use a profile with these roles.")
        }
        if !keepsCut {
            let shot = Cut.Shot(
                first: 0, end: max(1, session.frameCount), cameras: program.shown,
                layout: program.layout, reason: "the profile \(profile.name)")
            cut = Cut(rate: session.rate, shots: [shot])
        }
        size = size ?? program.size
        style = program.style.scaled(from: program.size, to: size ?? program.size)
        video = program.video
        bitrate = program.audio.bitrate
        let heard = profile.microphones.filter { program.audio.mix.contains($0.role) }
        gains = Dictionary(heard.map { ($0.role, $0.gainDecibels) }) { first, _ in first }
        if processing == nil {
            processing = Dictionary(heard.map { ($0.role, $0.processing) }) { first, _ in first }
            processing?[SessionPlan.programOwner] = program.audio.processing
        }
    }

    /// Frames the cameras of the cut automatically. The session then has the size of the settings.
    ///
    /// - Parameters:
    ///   - framing: People that are kept in frame.
    ///   - session: The recording to render.
    ///   - folder: Path of the session folder.
    ///   - progress: Receives progress reports and can cancel the search for faces.
    /// - Returns: The session to render, and one sentence for each file that can't be read.
    /// - Throws: `RenderError` if the faces can't be found.
    mutating func frame(
        _ framing: FramingSettings, _ session: RecordedSession, in folder: String, _ progress: RenderProgress
    ) throws(RenderError) -> (RecordedSession, [String]) {
        let found = try VisionAnalysis(of: session, in: folder).run(
            Set(cut.shots.flatMap(\.cameras)), progress: progress)
        let framed = session.framed(framing, cut, size: size, style: style, analyses: found.frames)
        (cut, style) = (framed.cut, nil)
        return (framed.session, found.faults)
    }

    /// Creates the renderer. The result also contains one sentence for each part of the recording that can't
    /// be rendered. This method may take a long time, because it reads media files.
    func renderer(of session: RecordedSession, in folder: String) -> (value: Renderer, problems: [String]) {
        let picture =
            session.angles.isEmpty
            ? nil : RenderedPicture(session, in: folder, cut: cut, style: style, size: size)
        let video = video ?? session.encoding ?? VideoSettings()
        var renderer = Renderer(
            session, in: folder, picture: picture,
            sound: RenderedSound(
                gains: gains, loudness: loudness, bitrate: bitrate ?? 160_000, processing: processing),
            video: VideoEncodingSettings(
                size: size ?? session.size, rate: session.rate, preset: video.preset, quality: video.quality))
        renderer.ticks = ticks
        return (renderer, picture?.problems ?? [])
    }
}

extension Cut {
    /// Returns a copy of the cut with another layout for all shots. In each shot, the first camera becomes
    /// the main camera, followed by all other cameras.
    func withLayout(_ layout: ProgramLayout, roles: [String]) -> Cut {
        let shots = shots.map { shot in
            var shot = shot
            let others = shot.cameras + roles.filter { !shot.cameras.contains($0) }
            shot.cameras = layout.maximumCameras == nil ? others : layout.visible(shot.cameras)
            shot.layout = layout
            return shot
        }
        return Cut(rate: rate, shots: shots)
    }
}

/// The options `--framing` and `--enlargement`.
enum AutomaticFramingOption {
    /// Names of the modes.
    static let names = FramingMode.allCases.filter { $0 != .off }.map(\.rawValue)

    static let options = [
        OptionSpec(
            "framing", "MODE", kind: .keywords(names),
            help:
                "Keep people in frame: people (all people) or speaker (the person who is speaking). Default: as recorded."
        ),
        OptionSpec(
            "enlargement", "N",
            help: "For `--framing`: largest enlargement of the cameras' pixels, 1 to 4. Default: 1.5."),
    ]

    /// Reads the options; `nil` without automatic framing.
    ///
    /// - Throws: `UsageError` for an unknown mode, for an enlargement that isn't a number from 1 to 4, and for an enlargement
    ///   without a mode.
    static func settings(_ arguments: ParsedArguments) throws(UsageError) -> FramingSettings? {
        let mode = try RenderCommand.read(
            "framing", of: arguments, { names.contains($0) ? FramingMode(rawValue: $0) : nil }
        ) { "one of \(names.joined(separator: ", "))" }
        let limits = AutomaticFraming.enlargements
        let enlargement = try RenderCommand.read(
            "enlargement", of: arguments, { Double($0).flatMap { limits.contains($0) ? $0 : nil } }
        ) { "a number from 1 to 4, such as 2" }
        guard let mode else {
            guard enlargement == nil else {
                throw arguments.spec.error("`--enlargement` requires `--framing`.")
            }
            return nil
        }
        return FramingSettings(
            mode: mode, maxEnlargement: enlargement ?? AutomaticFraming().maxEnlargement)
    }

    /// Returns the cut of a recording that is framed automatically. If the user hasn't chosen a cut and the mode is `speaker`,
    /// this is the cut by voice, provided that the recording contains the camera of each microphone.
    ///
    /// - Throws: `UsageError` if no camera can be framed, and `CutError` as for `EditCut.cut`.
    static func cut(
        of session: RecordedSession, in folder: String, _ framing: FramingSettings?, chosen: EditCut,
        isDefault: Bool, size: FrameSize, _ spec: CommandSpec
    ) throws -> Cut {
        guard let framing else { return try chosen.cut(of: session, in: folder) }
        guard session.angles.contains(where: { $0.kind == .camera }) else {
            throw spec.error(
                "`--framing \(framing.mode.rawValue)`: the recording has no camera tracks. Record with `tracks: { cameras: copy }` or `encode`."
            )
        }
        let showsTogether = framing.mode == .speaker && size.height > size.width
        guard isDefault, framing.mode == .speaker else {
            return try chosen.cut(of: session, in: folder, showsSpeakersTogether: showsTogether)
        }
        do throws(CutError) {
            _ = try VoiceCut(for: session)
        } catch {
            return try chosen.cut(of: session, in: folder)
        }
        return try EditCut.voice(cameras: [:], shortest: nil).cut(
            of: session, in: folder, showsSpeakersTogether: showsTogether)
    }
}

/// The value of the option `--cut`, which specifies where the cut of a recording comes from.
enum EditCut: Equatable {
    /// The cut of the program as it was recorded.
    case live
    /// The cut shows the person who is speaking. `cameras` maps microphone roles to camera roles, for a
    /// recording that doesn't contain this mapping.
    case voice(cameras: [String: String], shortest: Nanoseconds?)
    /// The cut shows the first camera during the whole recording.
    case none
    /// The cut is read from a file such as `edit/cut.json`.
    case file(String)

    /// Maximum size of a cut file, in bytes.
    private static let largestByteCount = 16 << 20

    static let options = [
        OptionSpec(
            "cut", "CUT", kind: .keywords(["live", "voice", "none"], orFile: true),
            help: "Cut: `live`, `voice`, `none`, or a file such as edit/cut.json. Default: `live`."),
        OptionSpec(
            "speaker", "MIC=CAMERA", isRepeatable: true,
            help: "For `--cut voice`: camera to show when the person at this microphone speaks."),
        OptionSpec("min-shot", "T", help: "For `--cut voice`: minimum length of a shot. Default: 2s."),
    ]

    /// Parses the command-line options that specify the cut.
    ///
    /// - Throws: `UsageError` if a speaker isn't specified as a pair of roles, or if speakers are specified
    ///   without `--cut voice`.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        var speakers: [String: String] = [:]
        for pair in arguments.all("speaker") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts.contains(""), speakers[parts[0]] == nil else {
                throw arguments.spec.error(
                    "`--speaker \(pair.printable())`: expected MICROPHONE=CAMERA, with each microphone once. Example: `--speaker host=face`."
                )
            }
            speakers[parts[0]] = parts[1]
        }
        let word = arguments.optional("cut") ?? "live"
        let shortest = try arguments.optional("min-shot").map { text throws(UsageError) in
            guard let length = Nanoseconds(text), length >= .milliseconds(100), length <= .seconds(3600)
            else {
                throw arguments.spec.error(
                    "`--min-shot \(text.printable())`: expected a time from 100ms to 1h, such as 2s."
                )
            }
            return length
        }
        guard (speakers.isEmpty && shortest == nil) || word == "voice" else {
            throw arguments.spec.error(
                "`--speaker` and `--min-shot` require `--cut voice`.")
        }
        switch word {
        case "live": self = .live
        case "voice": self = .voice(cameras: speakers, shortest: shortest)
        case "none": self = .none
        default: self = .file(word)
        }
    }

    /// Creates the cut, or reads it from a file. For a cut by voice, the audio of all microphones is
    /// analyzed, which takes a few seconds per hour of recording.
    ///
    /// - Parameters:
    ///   - session: The recording to render or cut.
    ///   - folder: Path of the recording's session folder.
    ///   - showsSpeakersTogether: Whether a cut by voice shows all speakers together instead of the camera without a microphone.
    /// - Returns: A cut that covers the recording from the first to the last frame.
    /// - Throws: `CutError` if the file can't be read or isn't a cut of this recording, if the recording doesn't
    ///   contain the times of the shots, or if audio can't be read.
    func cut(
        of session: RecordedSession, in folder: String, showsSpeakersTogether: Bool = false
    ) throws(CutError) -> Cut {
        switch self {
        case .live: return .live(of: session)
        case .none: return .none(of: session)
        case .voice(let cameras, let shortest):
            var cut = try VoiceCut(for: session, cameras: cameras)
            cut.minShot = shortest ?? cut.minShot
            if showsSpeakersTogether { cut.showSpeakersTogether() }
            var levels: [[Float]] = []
            for speaker in cut.speakers {
                guard let track = session.microphones.first(where: { $0.role == speaker.microphone }) else {
                    continue
                }
                do throws(EncodingError) {
                    levels.append(try Self.levels(of: track, in: folder))
                } catch {
                    throw CutError(
                        "Can't read the audio of \(speaker.microphone): \(error)", isUnreadable: true)
                }
            }
            return cut.cut(of: session, levels: levels)
        case .file(let path):
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try WholeFile.bytes(of: path, atMost: Self.largestByteCount)
            } catch {
                throw CutError(
                    "`--cut \(path.printable())`: expected `live`, `voice`, `none`, or a readable file. \(error.description)"
                )
            }
            return try Cut(reading: bytes, file: path, for: session)
        }
    }

    /// Measures the voice levels of a microphone track. Gaps in the track count as silence.
    private static func levels(of track: SessionTrack, in folder: String) throws(EncodingError) -> [Float] {
        var meter = VoiceMeter()
        var levels: [Float] = []
        for part in track.parts {
            let reader = try TrackReader(part.file, in: folder, stream: part.stream, media: .audio)
            meter.skip(to: part.from)
            while let (samples, _) = try reader.nextMonoSamples() {
                meter.add(samples)
                levels += meter.powers[(levels.count - meter.droppedCount)...].map(VoiceMeter.level)
                meter.drop(before: levels.count)
            }
        }
        return levels
    }
}
