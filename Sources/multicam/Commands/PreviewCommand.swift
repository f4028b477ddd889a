import Glibc
import MulticamArguments
import MulticamMedia
import MulticamStudio
import MulticamSystem

/// `multicam preview`: opens a window that shows a camera or the program, such as on a second monitor.
struct PreviewCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "preview",
        summary: "Show the program or a camera of the running session in a window.",
        notes: [
            "The window shows the complete picture, with black bars if needed; cameras are rotated and mirrored as in their preview. "
                + "F toggles full screen; Escape, Q, and the window's close button close the window.",
            "A session must be running: `multicam record` or `multicam studio`. "
                + "When the session ends, the window shows a notice and waits for the next session. "
                + "Closing the window or killing its process can't affect a recording.",
            "Exit status 1: no display or no running session; 2: the session has no such camera or no program.",
        ],
        options: [
            OptionSpec("camera", "ROLE", help: "Show the camera of this role instead of the program."),
            OptionSpec("program", help: "Show the program (default)."),
            OptionSpec("full-screen", help: "Start in full screen."),
            OptionSpec("display", "NUMBER", help: "Number of the display, starting at 1."),
            OptionSpec("process", "NUMBER", help: "Process ID of the session, if several are running."),
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
            throw arguments.spec.error(
                "`--camera` and `--program` can't be combined: a window shows only one picture.")
        }
        settings = PreviewSettings(
            role: role, isFullScreen: arguments.flag("full-screen"),
            display: try number("display", "a display number, starting at 1").map { Int($0) },
            process: try number(
                "process", "a process ID. If several sessions are running, `multicam ctl status` lists them")
        )
    }

    /// Replaces this process with the program `multicam-preview`, which opens the window. Returns only on
    /// failure.
    func run() async throws -> ExitStatus {
        guard let program = ProgramPath.sibling("multicam-preview") else {
            throw StudioError(
                "The helper program multicam-preview is missing. Build it with `swift build`, or install the package multicam-studio."
            )
        }
        var words = [strdup(program), strdup(settings.text), nil]
        defer { for word in words { free(word) } }
        execv(program, &words)
        throw StudioError(
            "Can't start \(program.printable(limit: 1000)): \(String(cString: strerror(errno))).")
    }
}
