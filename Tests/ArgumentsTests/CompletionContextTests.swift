import MulticamArguments
import Testing

@Suite("Completion candidates at the end of an unfinished line")
struct CompletionContextTests {
    private let spec = CommandSpec(
        program: "app", name: "record", summary: "Records.",
        positionals: [
            PositionalSpec("FOLDER", help: "Where."),
            PositionalSpec("WORD", isOptional: true, isRepeatable: true, kind: .control, help: "What."),
        ],
        options: [
            OptionSpec("profile", "P", help: "A profile."),
            OptionSpec("camera", "ROLE=DEVICE", isRepeatable: true, kind: .cameraOfRole, help: "A camera."),
            OptionSpec("turn", "0|90", help: "How far."), OptionSpec("output", "DIR", help: "Where to."),
            OptionSpec("virtual", help: "No hardware."),
        ])

    private func options(_ place: CompletionContext) -> [String]? {
        switch place {
        case .option(let proposals), .word(_, _, let proposals): proposals.map(\.word)
        default: nil
        }
    }

    @Test("completes an option's value by its placeholder, after a space or an equals sign")
    func values() {
        #expect(spec.completionContext(in: ["--profile", "pi"]) == .value(.profile, before: "", typed: "pi"))
        #expect(
            spec.completionContext(in: ["--profile=pi"])
                == .value(.profile, before: "--profile=", typed: "pi"))
        #expect(
            spec.completionContext(in: ["--turn", ""])
                == .value(.keywords(["0", "90"]), before: "", typed: ""))
        #expect(spec.completionContext(in: ["-o", ""]) == .value(.folder, before: "", typed: ""))
        #expect(
            spec.completionContext(in: ["--camera=desk=x"])
                == .value(.cameraOfRole, before: "--camera=", typed: "desk=x")
        )
    }

    @Test("does not propose an option twice unless it may be repeated")
    func given() {
        let found = options(
            spec.completionContext(in: ["--profile", "pip", "--camera=a=b", "--virtual", "-"]))
        #expect(found == ["--camera", "--turn", "--output", "--help"])
    }

    @Test("completes positional arguments in order, with options between them")
    func words() {
        let first = spec.completionContext(in: ["--virtual", ""])
        #expect(options(first)?.first == "--profile")
        #expect(spec.completionContext(in: ["x"]) == .word(.recording, after: [], options: []))
        #expect(
            spec.completionContext(in: ["a", "--profile", "p", "b", "c"])
                == .word(.control, after: ["a", "b"], options: []))
    }

    @Test("proposes no options after `--`")
    func dashes() {
        #expect(spec.completionContext(in: ["--", "-"]) == .word(.recording, after: [], options: []))
    }

    @Test("finds an option's values in an unfinished line")
    func found() {
        #expect(
            spec.values(of: "profile", in: ["--profile", "a", "--profile=b", "--profile"]) == ["a", "b"])
    }
}
