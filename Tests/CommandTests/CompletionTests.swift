import Foundation
import MulticamProfiles
import Testing

/// Tests the shell completions, which call `multicam complete`. The tests use the bash completion, and split
/// words as bash does.
@Suite("Shell completions")
struct CompletionTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../tools/packaging/completions/multicam.bash")

    /// Returns the completions that bash offers at the end of a line.
    private func offers(_ line: String, in scratch: Scratch) throws -> [String] {
        // Bash splits words at whitespace, and also at = and :, which become separate words.
        let program = """
            PATH=$1:$PATH
            . "$2"
            COMP_LINE=$3 COMP_POINT=${#3} COMP_WORDS=() rest=$3
            while [[ $rest =~ ^([[:space:]]*)([=:]+|[^=:[:space:]]+)(.*)$ ]]; do
                COMP_WORDS+=("${BASH_REMATCH[2]}") rest=${BASH_REMATCH[3]}
            done
            case $3 in *[[:space:]]) COMP_WORDS+=('') ;; esac
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _multicam
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let folder = URL(filePath: Multicam.path).deletingLastPathComponent().path
        let outcome = try Multicam.run(
            ["bash", "-c", program, "bash", folder, Self.script.path, line], in: scratch)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        return outcome.lines
    }

    @Test(
        "bash offers commands, options, and option values",
        arguments: [
            ("multicam rec", ["record", "recordings", "recover"]),
            ("multicam help sna", ["snapshot"]),
            ("multicam record --na", ["--name"]),
            ("multicam record --profile po", ["portrait"]),
            ("multicam record --profile=po", ["portrait"]),
            ("multicam devices --mounting ", ["0", "90", "180", "270"]),
            ("multicam record --backup-content p", ["program"]),
            ("multicam render x --layout si", ProgramLayout.names.filter { $0.hasPrefix("si") }),
            ("multicam export x --to po", ["podcast"]),
            ("multicam ctl la", ["layout"]),
            ("multicam ctl layout g", ProgramLayout.names.filter { $0.hasPrefix("g") }),
            ("multicam ctl mirror desk o", ["on", "off"]),
        ] as [(String, [String])])
    func words(_ line: String, _ expected: [String]) throws {
        #expect(try offers(line, in: try Scratch()) == expected)
    }

    @Test("bash offers the roles of the profile on the line, and devices for a role")
    func roles() throws {
        let scratch = try Scratch()
        #expect(try offers("multicam record --profile pip --camera ", in: scratch) == ["desk=", "face="])
        #expect(try offers("multicam record --profile=pip --mic ", in: scratch) == ["host="])
        #expect(try offers("multicam studio --camera ", in: scratch) == ["desk=", "face="])
        #expect(
            try offers("multicam record --profile pip --camera desk=virt", in: scratch) == [
                "virtual:clap", "virtual:people", "virtual:bars",
            ])
        // Completions are also offered after a colon, because bash starts a new word there.
        #expect(try offers("multicam record --profile pip --camera desk=virtual:b", in: scratch) == ["bars"])
        #expect(try offers("multicam record --camera ", in: scratch).isEmpty)
    }

    @Test("bash offers only session folders of a folder, newest first")
    func recordings() throws {
        let scratch = try Scratch()
        for name in ["2026-01-01_pip", "2026-02-01_pip", "notes"] {
            let folder = scratch.url.appending(path: "recordings/\(name)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if name != "notes" { try Data().write(to: folder.appending(path: "manifest.json")) }
        }
        let all = ["recordings/2026-02-01_pip", "recordings/2026-01-01_pip"]
        #expect(try offers("multicam verify rec", in: scratch) == all)
        #expect(try offers("multicam export recordings/2026-02", in: scratch) == [all[0]])
    }

    @Test("bash completes file and folder names by itself")
    func files() throws {
        let scratch = try Scratch()
        _ = try scratch.file("cut it.json", "")
        try FileManager.default.createDirectory(
            at: scratch.url.appending(path: "custom"), withIntermediateDirectories: true)
        #expect(try offers("multicam render x --cut cu", in: scratch).sorted() == ["custom", "cut it.json"])
        #expect(try offers("multicam record --output cu", in: scratch) == ["custom"])
        #expect(try offers("multicam record --profile=cut", in: scratch) == ["cut it.json"])
    }

    @Test("bash offers nothing for an invalid line")
    func nothing() throws {
        let scratch = try Scratch()
        for line in [
            "multicam recrod --", "multicam record --profile nobody --camera ", "multicam --version ",
        ] {
            #expect(try offers(line, in: scratch).isEmpty, "\(line)")
        }
    }
}
