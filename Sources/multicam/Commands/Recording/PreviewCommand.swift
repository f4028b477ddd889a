import Arguments
import Glibc
import Media
import Processes
import Studio

/// `multicam preview`: a window with a camera or the program, for a monitor.
struct PreviewCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "preview",
        summary: "Show the program or a camera of the session that runs in a window.",
        notes: [
            "The picture is whole, with black beside it; a camera's is turned and mirrored as its preview is. F fills the display and "
                + "leaves it again; Escape, Q and the window's own button close it.",
            "It needs a session: `multicam record` or `multicam studio`. When that ends the window says so, and shows the next one. It may "
                + "be closed or killed at any moment: no recording notices.",
            "Exit status 1: there is no display, or no session runs; 2: the session has no such camera, or no program.",
        ],
        options: [
            OptionSpec("camera", "ROLE", help: "Show the camera of this role."),
            OptionSpec("program", help: "Show the program. This is the default."),
            OptionSpec("full-screen", help: "Fill the display from the beginning."),
            OptionSpec("display", "NUMBER", help: "On which display, the first one being 1."),
            OptionSpec("process", "NUMBER", help: "Of which process, where several record."),
        ])

    private let settings: PreviewSettings

    init(_ arguments: ParsedArguments) throws(UsageError) {
        func number(_ name: String, _ expected: String) throws(UsageError) -> Int32? {
            try arguments.optional(name).map { text throws(UsageError) in
                guard let number = Int32(text), number > 0 else {
                    throw arguments.spec.error("`--\(name) \(text.printable())`: expected \(expected).")
                }
                return number
            }
        }
        let role = arguments.optional("camera")
        if role != nil, arguments.flag("program") {
            throw arguments.spec.error("`--camera` and `--program`: a window shows one of them.")
        }
        settings = PreviewSettings(
            role: role, isFullScreen: arguments.flag("full-screen"),
            display: try number("display", "the number of a display, the first one being 1").map { Int($0) },
            process: try number(
                "process", "the number of a process, as `multicam ctl status` tells it where several record")
        )
    }

    /// Becomes the program that opens the window; returns only where that fails.
    func run() async throws -> ExitStatus {
        guard let program = ProgramPath.beside("multicam-preview") else {
            throw StudioError(
                "the window's program, multicam-preview, is not beside this one: build it with `swift build`, or install the package multicam-studio."
            )
        }
        var words = [strdup(program), strdup(settings.text), nil]
        defer { for word in words { free(word) } }
        execv(program, &words)
        throw StudioError(
            "\(program.printable(limit: 1000)) cannot be started: \(String(cString: strerror(errno))).")
    }
}
