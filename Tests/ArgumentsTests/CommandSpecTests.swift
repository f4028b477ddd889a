import MulticamArguments
import Testing

@Suite("Command-line parsing")
struct CommandSpecTests {
    private let spec = CommandSpec(
        program: "multicam", name: "record", summary: "Record.",
        positionals: [PositionalSpec("FOLDER", isOptional: true, help: "Where.")],
        options: [
            OptionSpec("profile", "NAME", help: "A profile."),
            OptionSpec("camera", "ROLE=DEVICE", isRepeatable: true, help: "A camera."),
            OptionSpec("virtual", help: "No hardware."),
        ])

    @Test("accepts options with a space or an equals sign, in any order, between positional arguments")
    func forms() throws {
        let parsed = try spec.parse([
            "--profile=pip", "here", "--camera", "desk=virtual:clap?fps=25", "--virtual",
        ])
        #expect(parsed.optional("profile") == "pip")
        #expect(parsed.positionals == ["here"])
        #expect(try parsed.pairs("camera").map(\.value) == ["virtual:clap?fps=25"])
        #expect(parsed.flag("virtual"))
    }

    @Test("treats every argument after `--` as positional")
    func doubleDash() throws {
        #expect(try spec.parse(["--", "--virtual"]).positionals == ["--virtual"])
    }

    @Test(
        "reports an invalid argument with one error message that points to the help",
        arguments: [
            (["--profil", "pip"], "Unknown option `--profil`. Did you mean `--profile`?"),
            (["-x"], "Unknown option `-x`."),
            (["--profile"], "`--profile` requires a value: expected `--profile NAME` (a profile)."),
            (
                ["--profile", "a", "--profile", "b"],
                "`--profile` was specified more than once. Specify it only once."
            ),
            (["--virtual=yes"], "`--virtual` does not accept a value. Remove `=yes`."),
            (["a", "b"], "Unexpected argument `b`."),
        ] as [([String], String)])
    func mistakes(words: [String], sentence: String) {
        let error = #expect(throws: UsageError.self) { try spec.parse(words) }
        #expect(error?.description == "\(sentence) See `multicam record --help`.")
    }

    @Test(
        "accepts a pair only with a key, a value, and a key that was not given before",
        arguments: [["desk"], ["=x"], ["a=1", "a=2"]])
    func pairs(values: [String]) throws {
        let parsed = try spec.parse(values.flatMap { ["--camera", $0] })
        #expect(throws: UsageError.self) { try parsed.pairs("camera") }
    }

    @Test("lists every option in the help, within 80 columns")
    func help() {
        let text = HelpText.of(spec)
        for option in spec.options { #expect(text.contains("--\(option.name)")) }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("accepts --help without required arguments")
    func helpAlone() throws {
        let strict = CommandSpec(
            program: "multicam", name: "recover", summary: "",
            positionals: [PositionalSpec("FOLDER", help: "Which.")])
        #expect(try strict.parse(["--help"]).wantsHelp)
        #expect(throws: UsageError.self) { try strict.parse([]) }
    }
}
