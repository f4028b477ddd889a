internal import MulticamMedia
internal import MulticamSystem

extension ChildProcess {
    /// Starts a program of the studio.
    ///
    /// - Parameters:
    ///   - program: Path of the program.
    ///   - arguments: Arguments, without the program's name.
    ///   - variables: Additional environment variables, each as `NAME=VALUE`.
    ///   - isWithheld: Returns whether an environment variable is withheld from the program.
    ///   - broker: The connection that gives the program access to the recorder; `nil` for no access.
    /// - Returns: The child process that was started.
    /// - Throws: `StudioError` if the system can't start the program.
    static func start(
        _ program: String, _ arguments: [String], variables: [String] = [],
        withholding isWithheld: (String) -> Bool = { _ in false }, broker: RecorderConnectionBroker? = nil
    ) throws(StudioError) -> ChildProcess {
        do throws(ProcessError) {
            return try ChildProcess(
                program, arguments, variables: variables, withholding: isWithheld,
                passing: broker.map { ($0.clientEnd.number, RecorderConnector.descriptor) })
        } catch {
            throw StudioError(error.description)
        }
    }
}

/// Environment variables that are passed to the web process. Other variables may contain keys, such as those that a
/// profile's `url_from` names. A process with network access doesn't need these variables.
enum WebEnvironment {
    private static let names: Set<String> = [
        "HOME", "LANG", "LANGUAGE", "PATH", "TMPDIR", "TZ", "USER", "XDG_RUNTIME_DIR",
    ]
    /// Prefixes of variables for locales, library folders and sanitizer options.
    private static let prefixes = ["ASAN_", "LC_", "LD_", "LSAN_", "TSAN_", "UBSAN_"]

    /// Whether the variable with this name is passed to the web process.
    static func passes(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.hasPrefix($0) }
    }
}
