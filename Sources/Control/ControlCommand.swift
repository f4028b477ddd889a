public import Media
public import Plan
internal import Profiles
public import Timing

/// A command that a person or a program gives to a running `multicam record`.
public enum ControlCommand: Sendable, Equatable {
    /// Reports the state of the session.
    case status
    /// Names an instant of the recording: the present one, or one since T0.
    case mark(String, at: MediaTime? = nil)
    /// Continues all tracks in new files.
    case split
    /// Begins a recording of a session on standby: now, or with T0 at an instant of CLOCK_MONOTONIC, which is `utc` by the group's time; and
    /// until it is stopped, or for a time.
    case start(at: ClockTime? = nil, utc: Int64? = nil, for: Nanoseconds? = nil)
    /// Tells the group's time at an instant of CLOCK_MONOTONIC, as it was measured: it steers the session clock of a group's recording.
    case clock(ClockMeasurement)
    /// Ends the recording: now, or at an instant since T0 that has passed.
    case stop(at: MediaTime? = nil)
    /// Ends the process: its recording, or its standby.
    case quit
    /// Switches the leading role to the camera that a selector names; to the next camera when it is `nil`.
    case switchCamera(String?)
    /// Takes stills of the cameras of these roles, or of all cameras when empty, into the session folder.
    case snapshot([String])
    /// Keeps what the program shows and sounds like as a scene of this name, in the profile, too.
    case keepScene(String)
    /// Forgets the scene of this name, in the profile, too.
    case forgetScene(String)
    /// Changes what the session shows, mixes or records.
    case change(SessionChange)
    /// Sets controls of a camera, each given as NAME=VALUE.
    case set(role: String, [String])
    /// Tells the controls and presets of a camera, after setting what is given as NAME=VALUE.
    case controls(role: String, [String])
    /// Sets, keeps or forgets the values of a camera's controls under a name.
    case preset(PresetAction, role: String, name: String)
    /// Brings a camera's exposure and white balance to those of the camera of another role.
    case match(role: String, to: String)
    /// Adds the camera that a selector names to the recording, under a new role.
    case add(role: String, selector: String)
    /// Gives a role the camera that a selector names, in place of its own.
    case exchange(role: String, selector: String)
    /// Adds the microphone that a selector names to the recording, under a new role.
    case addMicrophone(role: String, selector: String)
    /// Begins a live output.
    case publish(PublishedPlace)
    /// Ends the live output of this name.
    case unpublish(String)

    /// What a live output is begun by.
    public enum PublishedPlace: Sendable, Equatable {
        /// The name of one that the profile has.
        case entry(String)
        /// An address without a key, or one that came on standard input.
        case address(DestinationAddress)
        /// An address that is to come on the client's standard input, since others can see arguments.
        case standardInput
    }

    /// What is done with a preset.
    public enum PresetAction: String, Sendable, CaseIterable {
        /// Sets its values.
        case load
        /// Keeps the present values under its name.
        case keep
        /// Deletes it.
        case forget
    }

    /// Commands with a common purpose, as help lists them.
    public struct Group: Sendable {
        /// The headline in the help.
        public let title: String
        /// The syntax of each command, and a description.
        public let commands: [(usage: String, help: String)]
    }

    /// All commands, each in one group.
    public static let groups: [Group] = [
        Group(
            title: "The recording",
            commands: [
                ("status", "how it goes: cameras, microphones, what is shown"),
                (
                    "mark TEXT [at=NS]",
                    "remember this instant under a name, or the one so many nanoseconds after the recording's start"
                ),
                ("split", "go on in new files"),
                (
                    "start [at=NS] [utc=NS] [for=NS]",
                    "begin a recording, where `record --standby` waits: at=, at this instant of CLOCK_MONOTONIC; utc=, which is this one by a group's time, that the recording is to follow; for=, for so many nanoseconds"
                ),
                (
                    "stop [at=NS]",
                    "end the recording, or end it at an instant that has just passed, so many nanoseconds after its start"
                ),
                ("quit", "end the recording, and standing by"),
                (
                    "clock at=NS utc=NS bound=NS",
                    "for `multicam node`, once a second: the group's time at an instant of CLOCK_MONOTONIC, and how wrong that may be"
                ),
            ]),
        Group(
            title: "The program's layout",
            commands: changes([
                "swap", "show", "inset", "layout", "corner", "scale", "arrange", "scene", "undo", "hide",
                "unhide", "rotate", "mirror", "zoom", "pan", "tilt",
            ]) + [
                ("keep-scene NAME", "keep what is shown and heard as a scene, in your profile, too"),
                ("forget-scene NAME", "forget a scene, in your profile, too"),
            ]),
        Group(title: "The program's audio", commands: changes(["gain", "mute", "unmute"])),
        Group(
            title: "Cameras, microphones and their tracks",
            commands: [
                ("snapshot [ROLE…]", "take stills of these cameras, of all where none is named"),
                ("set ROLE NAME=VALUE…", "set controls of a camera, as `multicam controls` shows them"),
                ("controls ROLE [NAME=VALUE…]", "the controls of a camera, after setting these"),
                ("load-preset ROLE NAME", "set what was kept of this camera under a name"),
                ("keep-preset ROLE NAME", "keep the camera's controls as they are now under a name"),
                ("forget-preset ROLE NAME", "forget what was kept under a name"),
                (
                    "match ROLE CAMERA",
                    "expose and balance white as the camera of the other role, as its frames show it"
                ),
                (
                    "switch [CAMERA]",
                    "take this camera, or the one on the other side, as soon as nothing is recorded; where no position is known, the next one"
                ),
                ("add ROLE CAMERA", "take another camera into the recording; `unhide ROLE` shows it"),
                (
                    "exchange ROLE CAMERA",
                    "give a role another camera; its tracks and the program go on"
                ),
                (
                    "add-microphone ROLE MICROPHONE",
                    "take another microphone into the recording; `unmute ROLE` lets it be heard in the program"
                ),
            ] + changes(["format", "disable", "enable", "end", "begin", "remove"])),
        Group(
            title: "Live output",
            commands: [
                (
                    "publish NAME|-|ADDRESS",
                    "send the program live: as the profile's entry NAME says; to the address on standard input; or into a virtual "
                        + "camera or microphone, v4l2:NODE or pulse:TEXT"
                ),
                ("unpublish NAME", "end a live output"),
            ]),
    ]

    private static func changes(_ names: [String]) -> [(usage: String, help: String)] {
        SessionChange.vocabulary.filter { names.contains(name(of: $0.usage)) }
    }

    private static func name(of usage: String) -> String { String(usage.prefix { $0 != " " }) }

    /// Parses a command.
    ///
    /// - Parameter words: A command as listed in `groups`; the text of `mark` may be several words.
    /// - Throws: `ControlError.usage` with a sentence that names the valid words.
    public init(words: [String]) throws(ControlError) {
        guard let name = words.first else {
            throw .usage("no command was given: expected one of \(Self.names).")
        }
        let rest = words.dropFirst()
        if name == "clock" || (name == "start" || name == "stop") && !rest.isEmpty {
            self = try Self.timed(name, Array(rest))
            return
        }
        if let simple = Self.simple[name] {
            guard rest.isEmpty else {
                throw .usage(
                    "`\(name)` takes no words after it: `\(rest.joined(separator: " ").printable())`.")
            }
            self = simple
            return
        }
        if name == "mark" {
            let time = try Self.time(rest.last)
            let text = (time == nil ? rest : rest.dropLast()).joined(separator: " ").printable(limit: 200)
            guard !text.isEmpty else { throw .usage("`mark` needs a text: `mark \"question 2\"`.") }
            self = .mark(text, at: time)
            return
        }
        if name == "keep-scene" || name == "forget-scene" {
            guard !rest.isEmpty else { throw .usage("`\(name)` needs a name: `\(name) wide shot`.") }
            let scene = rest.joined(separator: " ")
            self = name == "keep-scene" ? .keepScene(scene) : .forgetScene(scene)
            return
        }
        if name == "switch" {
            // A selector may be a name of several words.
            self = .switchCamera(rest.isEmpty ? nil : rest.joined(separator: " "))
            return
        }
        if name == "snapshot" {
            self = .snapshot(Array(rest))
            return
        }
        if let command = try Self.aboutControls(name, Array(rest)) {
            self = command
            return
        }
        if name == "publish" {
            self = .publish(try PublishedPlace(rest.joined(separator: " ")))
            return
        }
        if name == "unpublish" {
            guard rest.count == 1, let publication = rest.first else {
                throw .usage(
                    "`unpublish` needs the name of a live output, as `status` lists them: `unpublish show`.")
            }
            self = .unpublish(publication)
            return
        }
        if name == "exchange" {
            guard rest.count >= 2, let role = rest.first else {
                throw .usage("`exchange` needs a role and a camera: `exchange desk /dev/video4`.")
            }
            self = .exchange(role: role, selector: rest.dropFirst().joined(separator: " "))
            return
        }
        if name == "add" || name == "add-microphone" {
            let isCamera = name == "add"
            guard rest.count >= 2, let role = rest.first else {
                throw .usage(
                    isCamera
                        ? "`add` needs a role and a camera: `add guest /dev/video4`."
                        : "`add-microphone` needs a role and a microphone: `add-microphone guest default`.")
            }
            let selector = rest.dropFirst().joined(separator: " ")
            self =
                isCamera
                ? .add(role: role, selector: selector) : .addMicrophone(role: role, selector: selector)
            return
        }
        let change: SessionChange?
        do throws(SessionChangeError) {
            change = try SessionChange(words: words)
        } catch {
            throw .usage(error.description)
        }
        guard let change else {
            let word = "`\(name.printable())` is no command for a recording"
            if let near = Self.guess(name) { throw .usage("\(word); did you mean `\(near)`?") }
            throw .usage("\(word): expected one of \(Self.names).")
        }
        self = .change(change)
    }

    /// The words of the commands that have times, in nanoseconds.
    private static let times = [
        "start": ["at", "utc", "for"], "stop": ["at"], "clock": ["at", "utc", "bound"],
    ]

    /// Parses `start`, `stop` and `clock` with their times.
    private static func timed(_ name: String, _ rest: [String]) throws(ControlError) -> ControlCommand {
        var times: [String: Int64] = [:]
        let known = Self.times[name] ?? []
        let expected = known.map { "\($0)=NS" }.joined(separator: ", ")
        for word in rest {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, known.contains(parts[0]), times[parts[0]] == nil,
                let nanoseconds = Int64(parts[1]), nanoseconds >= (parts[0] == "for" ? 1 : 0)
            else {
                throw .usage(
                    "`\(name) \(word.printable(limit: 60))`: expected \(expected) in nanoseconds."
                )
            }
            times[parts[0]] = nanoseconds
        }
        let stamp = times["at"].map { ClockTime(nanoseconds: $0) }
        switch name {
        case "start":
            guard times["utc"] == nil || stamp != nil else {
                throw .usage("`start utc=` needs at=NS, too: the same instant on CLOCK_MONOTONIC.")
            }
            return .start(at: stamp, utc: times["utc"], for: times["for"].map { Nanoseconds($0) })
        case "clock":
            guard let stamp, let utc = times["utc"], let bound = times["bound"] else {
                throw .usage("`clock` needs \(expected).")
            }
            return .clock(ClockMeasurement(stamp: stamp, utc: utc, bound: Nanoseconds(bound)))
        default: return .stop(at: times["at"].map { MediaTime(nanoseconds: $0) })
        }
    }

    /// The instant that a word `at=NS` names; `nil` where the word is another one.
    private static func time(_ word: String?) throws(ControlError) -> MediaTime? {
        guard let word, word.hasPrefix("at=") else { return nil }
        guard let nanoseconds = Int64(word.dropFirst("at=".count)), nanoseconds >= 0 else {
            throw .usage(
                "`\(word.printable(limit: 60))`: expected nanoseconds since the recording's start, as `status` tells them in `time_ns`."
            )
        }
        return MediaTime(nanoseconds: nanoseconds)
    }

    /// Parses a command about a camera's controls; `nil` when the word is another one.
    private static func aboutControls(
        _ name: String, _ rest: [String]
    ) throws(ControlError) -> ControlCommand? {
        let words = Array(rest.dropFirst())
        let areSettings = words.allSatisfy { word in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
        }
        switch name {
        case "set":
            guard let role = rest.first, !words.isEmpty, areSettings else {
                throw .usage("`set` needs a role and what to set: `set desk brightness=128`.")
            }
            return .set(role: role, words)
        case "controls":
            guard let role = rest.first, areSettings else {
                throw .usage(
                    "`controls` needs a role, and what to set if anything: `controls desk brightness=128`.")
            }
            return .controls(role: role, words)
        case "match":
            guard rest.count == 2, rest[0] != rest[1] else {
                throw .usage("`match` needs the roles of two cameras: `match face desk`.")
            }
            return .match(role: rest[0], to: rest[1])
        default:
            guard let action = PresetAction.allCases.first(where: { name == "\($0.rawValue)-preset" }) else {
                return nil
            }
            let preset = words.joined(separator: " ")
            guard let role = rest.first, (1...64).contains(preset.utf8.count), preset.printable() == preset
            else {
                throw .usage(
                    "`\(name)` needs a role and a name of at most 64 bytes that can be shown: `\(name) desk evening`."
                )
            }
            return .preset(action, role: role, name: preset)
        }
    }

    /// Whether the command makes sense only during a recording.
    public var needsRecording: Bool {
        switch self {
        case .mark, .split, .stop, .add, .addMicrophone, .exchange: true
        case .change(let change): change.needsRecording
        case .status, .start, .quit, .snapshot, .switchCamera, .set, .controls, .preset, .match, .keepScene,
            .forgetScene, .publish, .unpublish, .clock:
            false
        }
    }

    /// Whether the command may block its thread: for a device, for the disk, or until a recording has begun.
    public var blocks: Bool {
        switch self {
        case .start, .switchCamera, .snapshot, .set, .controls, .preset, .match, .add, .addMicrophone,
            .exchange, .keepScene, .forgetScene:
            true
        case .status, .mark, .split, .stop, .quit, .change, .publish, .unpublish, .clock: false
        }
    }

    /// Whether the answer is available at once. Other answers tell what became of the command in the recording.
    var isAnsweredAtOnce: Bool {
        switch self {
        case .status, .stop, .quit, .publish, .unpublish, .clock: true
        case .mark, .split, .start, .switchCamera, .snapshot, .set, .controls, .preset, .match, .add,
            .addMicrophone, .exchange, .keepScene, .forgetScene, .change:
            false
        }
    }

    private static let simple: [String: ControlCommand] = [
        "status": .status, "split": .split, "start": .start(), "stop": .stop(), "quit": .quit,
    ]
    private static let allNames = groups.flatMap(\.commands).map { name(of: $0.usage) }
    /// Commands that end something. They are never suggested, because that cannot be undone.
    private static let endingNames: Set = ["stop", "quit", "end", "remove"]
    private static let harmlessNames = allNames.filter { !endingNames.contains($0) }

    /// The command that begins with the word, or else the most similar one; never one that ends something.
    private static func guess(_ word: String) -> String? {
        let longer = allNames.filter { word.count >= 3 && $0.hasPrefix(word.lowercased()) }
        return longer.count == 1 && harmlessNames.contains(longer[0])
            ? longer[0] : word.nearest(among: harmlessNames)
    }

    private static let names = allNames.joined(separator: ", ")
}

extension ControlCommand.PublishedPlace {
    /// Reads the words after `publish`. An error repeats none of them: a key may be in them.
    init(_ text: String) throws(ControlError) {
        if text == "-" {
            self = .standardInput
        } else if Profile.isRole(text) {
            self = .entry(text)
        } else if text.hasPrefix("v4l2:") || text.hasPrefix("pulse:") {
            self = .address(try Self.address(text))
        } else if text.contains(":") {
            throw .usage(
                "others can see a command's words, and an address may hold a key: `publish -` reads it from standard input, "
                    + "and `url_from` of the profile's `publish` from a file.")
        } else {
            throw .usage(
                "`publish` needs the name of a live output of the profile, `-` for an address on standard input, v4l2:NODE or pulse:TEXT: `publish show`."
            )
        }
    }

    static func address(_ text: String) throws(ControlError) -> DestinationAddress {
        do throws(DestinationAddressError) {
            return try DestinationAddress(text)
        } catch {
            throw .usage(error.description)
        }
    }
}
