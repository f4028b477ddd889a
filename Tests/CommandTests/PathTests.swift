import Foundation
import Testing

@Suite("Paths that are not valid UTF-8")
struct PathTests {
    /// Runs a script with a Latin-1 name in `$d` and the command in `$m`.
    private func run(_ script: String, _ scratch: Scratch) throws -> Multicam.Outcome {
        try Multicam.run(
            [
                "sh", "-c", "d=$(printf 'caf\\351'); m=$1; profile=$2; \(script)", "sh", Multicam.path,
                scratch.smallProfile(),
            ],
            in: scratch)
    }

    @Test(
        "are rejected with an explanation regardless of their origin, and no folder is created",
        arguments: [
            ("\"$m\" record --profile \"$profile\" --duration 0.2 --output \"$d\"", "is not valid UTF-8"),
            (
                "\"$m\" record --profile \"$profile\" --duration 0.2 --output out --backup=\"$d\"",
                "is not valid UTF-8"
            ),
            ("\"$m\" record --profile pip --mic host=file:\"$d\" --duration 0.2", "is not valid UTF-8"),
            ("\"$m\" recover \"$d\"", "is not valid UTF-8"), ("\"$m\" verify \"$d\"", "is not valid UTF-8"),
            ("\"$m\" sync-check \"$d\"", "is not valid UTF-8"),
            ("\"$m\" snapshot virtual:clap --output \"$d/a.jpg\"", "is not valid UTF-8"),
            (
                "mkdir \"$d\" && cd \"$d\" && \"$m\" record --profile \"$profile\" --duration 0.2",
                "name of the current folder"
            ),
            ("mkdir \"$d\" && cd \"$d\" && \"$m\" snapshot virtual:clap", "name of the current folder"),
            (
                "mkdir gone && cd gone && rmdir ../gone && \"$m\" record --profile \"$profile\"",
                "no longer exists"
            ),
            ("XDG_STATE_HOME=\"/tmp/$d\" \"$m\" devices", "XDG_STATE_HOME is not valid UTF-8"),
            ("XDG_CONFIG_HOME=\"/tmp/$d\" \"$m\" profiles", "XDG_CONFIG_HOME is not valid UTF-8"),
            ("HOME=\"/tmp/$d\" \"$m\" doctor", "HOME is not valid UTF-8"),
        ])
    func refused(script: String, sentence: String) throws {
        let scratch = try Scratch()
        expectRefusal(try run(script, scratch), status: 2, sentence)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(left.filter { $0 != "small.yaml" }.count <= 1, "\(left)")
        #expect(!left.contains { $0 == "caf\u{FFFD}" && !script.contains("mkdir") })
    }

    @Test("are accepted behind a symbolic link with a valid name")
    func link() throws {
        let scratch = try Scratch()
        let outcome = try run(
            "mkdir \"$d\" && ln -s \"$d\" link && \"$m\" record --profile \"$profile\" --duration 0.2 --output link && ls link && ls | wc -l",
            scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        // The three lines are the profile, the folder, and the link.
        #expect(outcome.lines.count == 3 && outcome.lines.last == "3", "\(outcome.output)")
    }
}
