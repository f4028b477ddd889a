import MulticamMedia
import MulticamProfiles
import MulticamTiming
import Testing

@testable import MulticamControl
@testable import MulticamKit
@testable import MulticamPlan

@Suite("Commands of a session")
struct SessionCommandTests {
    /// Returns the parsed arguments of a command, in the type that the command uses.
    private func input<Input>(_ words: [String], as type: Input.Type = Input.self) throws -> Input {
        try #require(try SessionCommand.parse(CommandRequest(arguments: words)).input as? Input)
    }

    private func refusal(_ words: [String]) throws -> String? {
        try SessionCommand.parse(CommandRequest(arguments: words)).groupRefusal
    }

    @Test(
        "a word that is wrong proposes one that is near, but never one that ends something",
        arguments: [
            ("swop", "swap"), ("stat", "status"), ("laoyut", "layout"), ("marc", "mark"), ("stpo", nil),
            ("stopp", nil), ("quti", nil), ("stop-trac", nil), ("stop-tarck", nil), ("remoev", nil),
            ("fly", nil),
            ("", nil),
        ] as [(String, String?)])
    func guesses(word: String, guess: String?) throws {
        let error = #expect(throws: ControlError.self) {
            _ = try SessionCommand.parse(CommandRequest(arguments: [word]))
        }
        let text = try #require(error?.description)
        if let guess {
            #expect(text.hasSuffix("did you mean `\(guess)`?"), "\(text)")
        } else {
            #expect(!text.contains("did you mean") && text.hasSuffix("."), "\(text)")
        }
    }

    @Test("a recording begins and ends now, or at the instants that are named")
    func instants() throws {
        #expect(try input(["start"]) == SessionCommand.Start())
        #expect(
            try input(["start", "for=5", "at=7"])
                == SessionCommand.Start(at: ClockTime(nanoseconds: 7), duration: Nanoseconds(5)))
        #expect(try input(["stop", "at=7"]) == SessionCommand.StopTime(at: MediaTime(nanoseconds: 7)))
        #expect(
            try input(["start", "at=7", "utc=9"])
                == SessionCommand.Start(at: ClockTime(nanoseconds: 7), utc: 9))
        #expect(
            try input(["clock", "at=7", "utc=9", "bound=3"])
                == ClockMeasurement(stamp: ClockTime(nanoseconds: 7), utc: 9, bound: Nanoseconds(3)))
        for words in [
            ["start", "utc=9"], ["clock"], ["clock", "at=7", "utc=9"],
            ["clock", "at=7", "utc=9", "bound=-1"],
            ["clock", "at=7", "utc=9", "bound=1e400"], ["clock", "at=nan", "utc=9", "bound=3"],
            ["start", "now"], ["start", "at=-1"], ["start", "at=1", "at=2"], ["start", "for=0"],
            ["stop", "for=1"],
            ["stop", "at=1e9"], ["stop", "at="],
        ] {
            #expect(throws: ControlError.self, "\(words)") {
                try SessionCommand.parse(CommandRequest(arguments: words))
            }
        }
    }

    @Test("a marker is set now, or so many nanoseconds after T0 where the last word says so")
    func markers() throws {
        #expect(try input(["mark", "question", "2"]) == SessionCommand.Marker(text: "question 2"))
        let time = MediaTime(nanoseconds: 1_500_000_000)
        #expect(
            try input(["mark", "question 2", "at=1500000000"])
                == SessionCommand.Marker(text: "question 2", at: time))
        // In other positions, `at=` is part of the text.
        #expect(try input(["mark", "at=3", "pm"]) == SessionCommand.Marker(text: "at=3 pm"))
        for words in [
            ["at=5"], ["late", "at="], ["late", "at=-1"], ["late", "at=1.5"],
            ["late", "at=99999999999999999999"],
        ] {
            #expect(throws: ControlError.self) {
                _ = try SessionCommand.parse(CommandRequest(arguments: ["mark"] + words))
            }
        }
    }

    @Test("the switching mode is one of the words that profiles use")
    func switching() throws {
        #expect(try input(["switching", "voice"]) == ProgramSettings.Switching.voice)
        #expect(try input(["switching", "manual"]) == ProgramSettings.Switching.manual)
        for words in [["switching"], ["switching", "auto"], ["switching", "voice", "now"]] {
            let error = #expect(throws: ControlError.self) {
                _ = try SessionCommand.parse(CommandRequest(arguments: words))
            }
            #expect(error?.description.contains("where MODE is manual or voice") == true, "\(words)")
        }
    }

    @Test("every command has one name, one group, and a description for the help and for the page")
    func groups() {
        let names = SessionCommand.all.map(\.name)
        #expect(Set(names).count == names.count && SessionCommand.groups.allSatisfy { !$0.commands.isEmpty })
        #expect(SessionChange.vocabulary.allSatisfy { names.contains($0.name) })
        for command in SessionCommand.all {
            #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."), "\(command.name)")
        }
        #expect(SessionCommand.listedNames == names.filter { $0 != "clock" })
    }

    @Test(
        "a group can't send commands that end a recording, set the clock, or open a file or an address",
        arguments: [
            ["start"], ["start", "at=1"], ["stop"], ["stop", "at=1"], ["quit"],
            ["clock", "at=1", "utc=1", "bound=1"], ["add", "third", "file:/etc/passwd"],
            ["replace-camera", "desk", "rtsp://host/x"], ["add-microphone", "m", "file:/etc/passwd"],
            ["publish", "-"], ["publish", "v4l2:/dev/video9"], ["select-camera", "file:/etc/passwd"],
        ])
    func groupRefusal(words: [String]) throws {
        #expect(try refusal(words)?.hasPrefix("`\(words[0])`: ") == true)
        let controller = SessionController()
        let plan = SessionPlan(
            profile: "p", cameras: [], microphones: [], program: nil, cameraTracks: [], microphoneTracks: [])
        #expect(throws: ControlError.self) {
            try controller.prepareCommand(
                for: CommandRequest(arguments: words, isFromGroup: true), pausedPlan: plan)
        }
        #expect(throws: Never.self) {
            try controller.prepareCommand(for: CommandRequest(arguments: words), pausedPlan: plan)
        }
    }

    @Test(
        "a group can send commands for the running session",
        arguments: [
            ["status"], ["mark", "a"], ["split"], ["layout", "grid"], ["select-camera"],
            ["publish", "youtube"],
        ])
    func groupUse(words: [String]) throws { #expect(try refusal(words) == nil) }

    @Test(
        "live output is begun by a name, by what has no key, or by standard input; a key among the words is refused and not repeated"
    )
    func publish() throws {
        typealias Place = SessionCommand.PublishTarget
        #expect(try input(["publish", "show"]) == Place.entry("show"))
        #expect(try input(["publish", "-"]) == Place.standardInput)
        let microphone = try LiveOutputAddress("pulse:Studio mix")
        #expect(try input(["publish", "pulse:Studio", "mix"]) == Place.address(microphone))
        #expect(try input(["unpublish", "show"]) == "show")
        for words in [
            ["publish", "srt://host:9000?passphrase=KEY"], ["publish", "KEY:"],
            ["publish", "rtmp://host/app/KEY"],
            ["publish", "Show KEY"], ["publish"], ["unpublish"], ["unpublish", "a", "b"],
            ["publish", "v4l2:KEY"],
        ] {
            let error = #expect(throws: ControlError.self) {
                try SessionCommand.parse(CommandRequest(arguments: words))
            }
            #expect(error?.description.contains("KEY") == false)
        }
        let address = "srt://host:9000?passphrase=0123456789"
        let request = CommandRequest(arguments: ["publish", "-"], input: address)
        let parsed = try SessionCommand.parse(request)
        #expect(parsed.input as? Place == .address(try LiveOutputAddress(address)) && !parsed.needsInput)
        #expect(try SessionCommand.parse(CommandRequest(arguments: ["publish", "-"])).needsInput)
        #expect(try CommandRequest(line: request.line) == request)
        #expect(throws: ControlError.self) {
            try SessionCommand.parse(CommandRequest(arguments: ["publish", "-"], input: "KEY"))
        }
    }

    @Test("controls are told and set, and presets named, by role")
    func controls() throws {
        typealias Settings = SessionCommand.Settings
        typealias Preset = SessionCommand.Preset
        #expect(try input(["controls", "desk"]) == Settings(role: "desk", values: []))
        #expect(try input(["controls", "desk", "gain=3"]) == Settings(role: "desk", values: ["gain=3"]))
        #expect(
            try input(["load-preset", "desk", "late", "evening"])
                == Preset(role: "desk", name: "late evening"))
        #expect(try input(["save-preset", "desk", "x"]) == Preset(role: "desk", name: "x"))
        #expect(try input(["delete-preset", "desk", "x"]) == Preset(role: "desk", name: "x"))
        #expect(
            try input(["match", "face", "desk"]) == SessionCommand.CameraMatch(role: "face", leader: "desk"))
        for words in [
            ["controls"], ["controls", "desk", "gain"], ["match", "face"], ["match", "face", "face"],
            ["save-preset", "desk"], ["load-preset", "desk", String(repeating: "x", count: 65)],
            ["save-preset", "desk", "a\u{7}"],
        ] {
            #expect(throws: ControlError.self, "\(words)") {
                try SessionCommand.parse(CommandRequest(arguments: words))
            }
        }
    }

    @Test(
        "a number that is none, or that no session can have, is no reason to end",
        arguments: [
            "zoom desk 1e300", "zoom desk nan", "gain host -inf", "gain host 9223372036854775808",
            "scale -9223372036854775809", "rotate desk 9223372036854775808", "rotate desk 1e300",
            "format desk 99999999999999999999x1", "format desk 640x480@1e300", "format desk 640x480@nan",
            "format desk 640x480@9223372036854775807/1", "pan desk inf", "tilt desk -1e308", "set desk =1",
            "set desk brightness=", "show", "add guest", "layout",
        ])
    func numbers(line: String) {
        let words = line.split(separator: " ").map(String.init)
        do throws(ControlError) {
            // Arguments that depend on the session are checked only when the session is known.
            let parsed = try SessionCommand.parse(CommandRequest(arguments: words))
            guard let change = parsed.input as? SessionChange else {
                Issue.record("\(line) isn't a change")
                return
            }
            #expect(["zoom", "gain", "scale", "pan", "tilt"].contains(change.words[0]))
        } catch {
            #expect(error.description.contains("expected") || error.description.contains("needs"))
        }
    }
}
