import Foundation
import Testing

@Suite("Command-line usage")
struct UsageTests {
    @Test(
        "Help is printed on standard output, without side effects",
        arguments: [
            ["--help"], ["-h"], ["help"], ["help", "record"], ["devices", "--help"], ["profiles", "--help"],
            ["plan", "--help"], ["doctor", "--help"], ["record", "--help"], ["calibrate", "--help"],
            ["ctl", "--help"],
            ["record", "--profile", "nonsense", "-h"],
        ])
    func help(_ words: [String]) throws {
        let outcome = try Multicam.run([Multicam.path] + words)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("Usage: multicam"))
        #expect(outcome.errors.isEmpty)
        #expect(outcome.lines.allSatisfy { $0.count <= 80 })
    }

    @Test("The help of every command fits into 80 columns")
    func helpOfEachCommand() throws {
        let names = try Multicam.run("help").lines.compactMap { line in
            line.hasPrefix("  ") && !line.hasPrefix("   ")
                ? line.split(separator: " ").first.map(String.init) : nil
        }.filter { $0 != "multicam" && $0.allSatisfy { $0.isLetter || $0 == "-" } && !$0.hasPrefix("-") }
        #expect(names.count > 15)
        for name in names {
            let outcome = try Multicam.run(name, "--help")
            #expect(outcome.status == 0, "\(name)")
            #expect(outcome.lines.filter { $0.count > 80 } == [])
        }
    }

    @Test("Commands of `ctl` are listed by purpose, with examples")
    func controlHelp() throws {
        let lines = try Multicam.run("ctl", "--help").lines
        let titles = [
            "Recording:", "Program layout:", "Program audio:",
            "Cameras, microphones and tracks:", "Examples:", "Options:",
        ]
        #expect(lines.filter { titles.contains($0) } == titles)
        #expect(lines.contains { $0.hasPrefix("  layout LAYOUT ") })
    }

    @Test("The version is one line")
    func version() throws {
        let outcome = try Multicam.run("--version")
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == 1)
        #expect(outcome.output.hasPrefix("multicam "))
    }

    @Test(
        "An invalid command line is one message on standard error and exit status 2",
        arguments: [
            ([], "No command"),
            (["recrod"], "Did you mean `record`"),
            (["help", "recrod"], "Did you mean `record`"),
            (["--frob"], "Unknown command"),
            (["record"], "`--profile` is missing"),
            (["record", "--profile"], "requires a value"),
            (["record", "--profile", ""], "requires a value"),
            (["record", "--output=", "--profile", "pip"], "requires a value"),
            (["record", "--profil", "pip"], "Did you mean `--profile`"),
            (["record", "--profile", "pip", "more"], "Unexpected argument"),
            (["record", "--profile", "pip", "--json=yes"], "does not accept a value"),
            (["record", "--profile", "pip", "--duration", "1", "--duration", "2"], "more than once"),
            (["record", "--profile", "pip", "--virtual", "--camera", "desk"], "ROLE=DEVICE"),
            (["record", "--profile", "pip", "--virtual", "--camera", "nobody=any"], "desk or face"),
            (["record", "--profile", "pip", "--virtual", "--mic", "desk=any"], "host"),
            (["record", "--profile", "pip", "--virtual", "--name", "a/b"], "without `/`"),
            (["record", "--profile", "pip", "--virtual", "--name", ".."], "without `/`"),
            (
                ["record", "--profile", "pip", "--virtual", "--camera", "desk=virtual:clap?frobs=2"],
                "`frobs`"
            ),
            (["record", "--profile", "pip", "--virtual", "--camera", "desk=virtual:clap?fps=-3"], "fps=-3"),
            (["record", "--profile", "pip", "--virtual", "--camera", "desk=virtual:stripes"], "`stripes`"),
            (["record", "--profile", "pipp", "--virtual"], "probably pip"),
            (["plan"], "`--profile` is missing"),
            (["profiles", "nonsense"], "pip"),
            (["profiles", "pip", "--check", "x"], "can't be combined"),
            (["record", "--profile", "\u{1B}[31mred", "--virtual"], "?[31mred"),
            (["\u{1B}[31mred"], "?[31mred"),
        ])
    func usage(_ words: [String], _ expected: String) throws {
        let outcome = try Multicam.run([Multicam.path] + words)
        expectRefusal(outcome, status: 2, expected)
    }

    @Test(
        "An invalid duration is rejected",
        arguments: [
            "0", "-1", "abc", "1e9", "nan", "inf", "10x", "1h30", "99999999999h", " 5", "5 s", "0x10", "٣",
        ])
    func durations(_ text: String) throws {
        let outcome = try Multicam.run("record", "--profile", "pip", "--virtual", "--duration", text)
        expectRefusal(outcome, status: 2, "expected a duration greater than zero")
    }
}

/// Expects one clear sentence on standard error, nothing on standard output, and the documented exit status.
func expectRefusal(
    _ outcome: Multicam.Outcome, status: Int32, _ expected: String,
    location: SourceLocation = #_sourceLocation
) {
    #expect(outcome.status == status, "\(outcome.errors)", sourceLocation: location)
    #expect(outcome.output.isEmpty, sourceLocation: location)
    #expect(outcome.errors.contains(expected), "\(outcome.errors)", sourceLocation: location)
    #expect(outcome.errors.hasPrefix("multicam: "), sourceLocation: location)
    #expect(outcome.errors.filter { $0 == "\n" }.count == 1, "\(outcome.errors)", sourceLocation: location)
    let hasControls = outcome.errors.dropLast().unicodeScalars.contains {
        $0.value < 0x20 || $0.value == 0x7F
    }
    #expect(!hasControls, "a terminal is not steered by what somebody else wrote", sourceLocation: location)
}
