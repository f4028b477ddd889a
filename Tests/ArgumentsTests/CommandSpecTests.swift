import Arguments
import Testing

@Suite("a command's words")
struct CommandSpecTests {
    private let spec = CommandSpec(
        program: "multicam", name: "record", summary: "Record.",
        positionals: [PositionalSpec("FOLDER", isOptional: true, help: "Where.")],
        options: [
            OptionSpec("profile", "NAME", help: "A profile."),
            OptionSpec("camera", "ROLE=DEVICE", isRepeatable: true, help: "A camera."),
            OptionSpec("virtual", help: "No hardware."),
        ])

    @Test("options come with a space or an equals sign, in any order, around plain words")
    func forms() throws {
        let parsed = try spec.parse([
            "--profile=pip", "here", "--camera", "desk=virtual:clap?fps=25", "--virtual",
        ])
        #expect(parsed.optional("profile") == "pip")
        #expect(parsed.positionals == ["here"])
        #expect(try parsed.pairs("camera").map(\.value) == ["virtual:clap?fps=25"])
        #expect(parsed.flag("virtual"))
    }

    @Test("after two dashes every word is plain")
    func doubleDash() throws {
        #expect(try spec.parse(["--", "--virtual"]).positionals == ["--virtual"])
    }

    @Test(
        "what it does not understand is one sentence that points to the help",
        arguments: [
            (["--profil", "pip"], "unknown option `--profil`; did you mean `--profile`?"),
            (["-x"], "unknown option `-x`."),
            (["--profile"], "`--profile` needs a value: expected `--profile NAME`, a profile."),
            (["--profile", "a", "--profile", "b"], "`--profile` is given twice; give it once."),
            (["--virtual=yes"], "`--virtual` takes no value: leave out `=yes`."),
            (["a", "b"], "unexpected word `b`."),
        ] as [([String], String)])
    func mistakes(words: [String], sentence: String) {
        let error = #expect(throws: UsageError.self) { try spec.parse(words) }
        #expect(error?.description == "\(sentence) See `multicam record --help`.")
    }

    @Test(
        "pairs need a key, a value and a key that was not given before",
        arguments: [["desk"], ["=x"], ["a=1", "a=2"]])
    func pairs(values: [String]) throws {
        let parsed = try spec.parse(values.flatMap { ["--camera", $0] })
        #expect(throws: UsageError.self) { try parsed.pairs("camera") }
    }

    @Test("the help names every option and stays within 80 columns")
    func help() {
        let text = HelpText.of(spec)
        for option in spec.options { #expect(text.contains("--\(option.name)")) }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("asking for help needs nothing else")
    func helpAlone() throws {
        let strict = CommandSpec(
            program: "multicam", name: "recover", summary: "",
            positionals: [PositionalSpec("FOLDER", help: "Which.")])
        #expect(try strict.parse(["--help"]).wantsHelp)
        #expect(throws: UsageError.self) { try strict.parse([]) }
    }
}
