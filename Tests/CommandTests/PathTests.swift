import Foundation
import Testing

@Suite("Paths that are no UTF-8")
struct PathTests {
    /// Runs a script whose `$d` is a name in Latin-1, and `$m` the command.
    private func run(_ script: String, _ scratch: Scratch) throws -> Multicam.Outcome {
        try Multicam.run(
            [
                "sh", "-c", "d=$(printf 'caf\\351'); m=$1; profile=$2; \(script)", "sh", Multicam.path,
                scratch.smallProfile(),
            ],
            in: scratch)
    }

    @Test(
        "are refused in a sentence, wherever they come from, and nothing is made beside them",
        arguments: [
            ("\"$m\" record --profile \"$profile\" --duration 0.2 --output \"$d\"", "is no UTF-8"),
            ("\"$m\" record --profile \"$profile\" --duration 0.2 --output out --also=\"$d\"", "is no UTF-8"),
            ("\"$m\" record --profile pip --mic host=file:\"$d\" --duration 0.2", "is no UTF-8"),
            ("\"$m\" recover \"$d\"", "is no UTF-8"), ("\"$m\" verify \"$d\"", "is no UTF-8"),
            ("\"$m\" sync-check \"$d\"", "is no UTF-8"),
            ("\"$m\" snapshot virtual:clap --output \"$d/a.jpg\"", "is no UTF-8"),
            (
                "mkdir \"$d\" && cd \"$d\" && \"$m\" record --profile \"$profile\" --duration 0.2",
                "folder that you are in"
            ),
            ("mkdir \"$d\" && cd \"$d\" && \"$m\" snapshot virtual:clap", "folder that you are in"),
            (
                "mkdir gone && cd gone && rmdir ../gone && \"$m\" record --profile \"$profile\"",
                "not there any more"
            ),
            ("XDG_STATE_HOME=\"/tmp/$d\" \"$m\" devices", "XDG_STATE_HOME is no UTF-8"),
            ("XDG_CONFIG_HOME=\"/tmp/$d\" \"$m\" profiles", "XDG_CONFIG_HOME is no UTF-8"),
            ("HOME=\"/tmp/$d\" \"$m\" doctor", "HOME is no UTF-8"),
        ])
    func refused(script: String, sentence: String) throws {
        let scratch = try Scratch()
        expectRefusal(try run(script, scratch), status: 2, sentence)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(left.filter { $0 != "small.yaml" }.count <= 1, "\(left)")
        #expect(!left.contains { $0 == "caf\u{FFFD}" && !script.contains("mkdir") })
    }

    @Test("behind a link are where the link leads")
    func link() throws {
        let scratch = try Scratch()
        let outcome = try run(
            "mkdir \"$d\" && ln -s \"$d\" link && \"$m\" record --profile \"$profile\" --duration 0.2 --output link && ls link && ls | wc -l",
            scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        // The profile, the folder and the link.
        #expect(outcome.lines.count == 3 && outcome.lines.last == "3", "\(outcome.output)")
    }
}
