import Media
import Testing
import Timing

@testable import Control
@testable import Plan

@Suite("The words of control")
struct ControlCommandTests {
    @Test(
        "a word that is wrong proposes one that is near, but never one that ends something",
        arguments: [
            ("swop", "swap"), ("stat", "status"), ("laoyut", "layout"), ("marc", "mark"), ("stpo", nil),
            ("stopp", nil), ("quti", nil), ("ende", nil), ("ned", nil), ("remoev", nil), ("fly", nil),
            ("", nil),
        ] as [(String, String?)])
    func guesses(word: String, guess: String?) throws {
        let error = #expect(throws: ControlError.self) { _ = try ControlCommand(words: [word]) }
        let text = try #require(error?.description)
        if let guess {
            #expect(text.hasSuffix("did you mean `\(guess)`?"), "\(text)")
        } else {
            #expect(!text.contains("did you mean") && text.hasSuffix("."), "\(text)")
        }
    }

    @Test("a recording begins and ends now, or at the instants that are named")
    func instants() throws {
        #expect(try ControlCommand(words: ["start"]) == .start())
        #expect(
            try ControlCommand(words: ["start", "for=5", "at=7"])
                == .start(at: ClockTime(nanoseconds: 7), for: Nanoseconds(5)))
        #expect(try ControlCommand(words: ["stop", "at=7"]) == .stop(at: MediaTime(nanoseconds: 7)))
        #expect(
            try ControlCommand(words: ["start", "at=7", "utc=9"])
                == .start(at: ClockTime(nanoseconds: 7), utc: 9))
        #expect(
            try ControlCommand(words: ["clock", "at=7", "utc=9", "bound=3"])
                == .clock(
                    ClockMeasurement(stamp: ClockTime(nanoseconds: 7), utc: 9, bound: Nanoseconds(3))))
        for words in [
            ["start", "utc=9"], ["clock"], ["clock", "at=7", "utc=9"],
            ["clock", "at=7", "utc=9", "bound=-1"],
            ["clock", "at=7", "utc=9", "bound=1e400"], ["clock", "at=nan", "utc=9", "bound=3"],
            ["start", "now"], ["start", "at=-1"], ["start", "at=1", "at=2"], ["start", "for=0"],
            ["stop", "for=1"],
            ["stop", "at=1e9"], ["stop", "at="],
        ] {
            #expect(throws: ControlError.self, "\(words)") { try ControlCommand(words: words) }
        }
    }

    @Test("a mark is set now, or so many nanoseconds after T0 where the last word says so")
    func marks() throws {
        #expect(try ControlCommand(words: ["mark", "question", "2"]) == .mark("question 2"))
        let time = MediaTime(nanoseconds: 1_500_000_000)
        #expect(
            try ControlCommand(words: ["mark", "question 2", "at=1500000000"])
                == .mark("question 2", at: time))
        // Elsewhere it is a part of the text.
        #expect(try ControlCommand(words: ["mark", "at=3", "pm"]) == .mark("at=3 pm"))
        for words in [
            ["at=5"], ["late", "at="], ["late", "at=-1"], ["late", "at=1.5"],
            ["late", "at=99999999999999999999"],
        ] {
            #expect(throws: ControlError.self) { _ = try ControlCommand(words: ["mark"] + words) }
        }
    }

    @Test("every command is in one group, and every change of a session among them")
    func groups() {
        let usages = ControlCommand.groups.flatMap(\.commands).map(\.usage)
        #expect(Set(usages).count == usages.count)
        #expect(SessionChange.vocabulary.allSatisfy { usages.contains($0.usage) })
        #expect(ControlCommand.groups.allSatisfy { !$0.commands.isEmpty })
    }

    @Test(
        "live output is begun by a name, by what has no key, or by standard input; a key among the words is refused and not repeated"
    )
    func publish() throws {
        #expect(try ControlCommand(words: ["publish", "show"]) == .publish(.entry("show")))
        #expect(try ControlCommand(words: ["publish", "-"]) == .publish(.standardInput))
        let microphone = try DestinationAddress("pulse:Studio mix")
        #expect(
            try ControlCommand(words: ["publish", "pulse:Studio", "mix"]) == .publish(.address(microphone)))
        #expect(try ControlCommand(words: ["unpublish", "show"]) == .unpublish("show"))
        for words in [
            ["publish", "srt://host:9000?passphrase=KEY"], ["publish", "KEY:"],
            ["publish", "rtmp://host/app/KEY"],
            ["publish", "Show KEY"], ["publish"], ["unpublish"], ["unpublish", "a", "b"],
            ["publish", "v4l2:KEY"],
        ] {
            let error = #expect(throws: ControlError.self) { try ControlCommand(words: words) }
            #expect(error?.description.contains("KEY") == false)
        }
        let request = try CommandRequest(words: ["publish", "-"])
        let complete = try request.taking("srt://host:9000?passphrase=0123456789\n")
        #expect(
            complete.command
                == .publish(.address(try DestinationAddress("srt://host:9000?passphrase=0123456789"))))
        #expect(complete.words == ["publish", "-"])
        #expect(try CommandRequest(line: complete.line) == complete)
        #expect(throws: ControlError.self) { try request.taking("KEY") }
        #expect(try CommandRequest(words: ["status"]).taking("x").command == .status)
    }

    @Test("controls are told and set, and presets named, by role")
    func controls() throws {
        func command(_ words: String...) throws(ControlError) -> ControlCommand {
            try ControlCommand(words: words)
        }
        #expect(try command("controls", "desk") == .controls(role: "desk", []))
        #expect(try command("controls", "desk", "gain=3") == .controls(role: "desk", ["gain=3"]))
        #expect(
            try command("load-preset", "desk", "late", "evening")
                == .preset(.load, role: "desk", name: "late evening"))
        #expect(try command("keep-preset", "desk", "x") == .preset(.keep, role: "desk", name: "x"))
        #expect(try command("forget-preset", "desk", "x") == .preset(.forget, role: "desk", name: "x"))
        #expect(try command("match", "face", "desk") == .match(role: "face", to: "desk"))
        for words in [
            ["controls"], ["controls", "desk", "gain"], ["match", "face"], ["match", "face", "face"],
            ["keep-preset", "desk"], ["load-preset", "desk", String(repeating: "x", count: 65)],
            ["keep-preset", "desk", "a\u{7}"],
        ] {
            #expect(throws: ControlError.self, "\(words)") { _ = try ControlCommand(words: words) }
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
            // What can be said is checked where the session is known.
            guard case .change(let change) = try ControlCommand(words: words) else {
                Issue.record("\(line) is no change")
                return
            }
            #expect(["zoom", "gain", "scale", "pan", "tilt"].contains(change.words[0]))
        } catch {
            #expect(error.description.contains("expected") || error.description.contains("needs"))
        }
    }
}
