import Arguments
import Testing

@Suite("What could stand at the end of an unfinished line")
struct CompletionPlaceTests {
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

    private func options(_ place: CompletionPlace) -> [String]? {
        switch place {
        case .option(let proposals), .word(_, _, let proposals): proposals.map(\.word)
        default: nil
        }
    }

    @Test("an option's value is what its placeholder says, behind a blank or an equals sign")
    func values() {
        #expect(spec.place(in: ["--profile", "pi"]) == .value(.profile, before: "", typed: "pi"))
        #expect(spec.place(in: ["--profile=pi"]) == .value(.profile, before: "--profile=", typed: "pi"))
        #expect(spec.place(in: ["--turn", ""]) == .value(.words(["0", "90"]), before: "", typed: ""))
        #expect(spec.place(in: ["-o", ""]) == .value(.folder, before: "", typed: ""))
        #expect(
            spec.place(in: ["--camera=desk=x"]) == .value(.cameraOfRole, before: "--camera=", typed: "desk=x")
        )
    }

    @Test("options that were given are not proposed again, unless they may be repeated")
    func given() {
        let found = options(spec.place(in: ["--profile", "pip", "--camera=a=b", "--virtual", "-"]))
        #expect(found == ["--camera", "--turn", "--output", "--help"])
    }

    @Test("plain words follow one another, and options may stand between them")
    func words() {
        let first = spec.place(in: ["--virtual", ""])
        #expect(options(first)?.first == "--profile")
        #expect(spec.place(in: ["x"]) == .word(.recording, after: [], options: []))
        #expect(
            spec.place(in: ["a", "--profile", "p", "b", "c"])
                == .word(.control, after: ["a", "b"], options: []))
    }

    @Test("after two dashes no option is proposed")
    func dashes() {
        #expect(spec.place(in: ["--", "-"]) == .word(.recording, after: [], options: []))
    }

    @Test("the values of an option are found in a line that is not finished")
    func found() {
        #expect(
            spec.values(of: "profile", in: ["--profile", "a", "--profile=b", "--profile"]) == ["a", "b"])
    }
}
