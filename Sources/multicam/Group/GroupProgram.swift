import Arguments
import FoundationEssentials
import Glibc
import Media
import Processes

/// The program that talks to the other computers of a group.
enum GroupProgram {
    private static let name = "multicam-group"

    /// Its path.
    ///
    /// - Throws: `ProcessError` when it is not there.
    static func path() throws(ProcessError) -> String {
        guard let program = ProgramPath.beside(name) else {
            throw ProcessError(
                "the program for groups, \(name), is not beside this one: build it with `swift build`, or install the package multicam-studio."
            )
        }
        return program
    }

    /// Becomes that program, which then has this one's streams and signals.
    ///
    /// - Parameters:
    ///   - task: What it is to do.
    ///   - values: What it needs to know; entries without a value are left out.
    /// - Returns: Never.
    /// - Throws: `ProcessError` when it is not there, or cannot be started.
    static func become(_ task: String, _ values: [(key: String, value: String?)]) throws -> ExitStatus {
        let program = try path()
        let words =
            [program, task]
            + values.compactMap { key, value in value.map { "\(key)=\($0)" } }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        execv(program, &arguments)
        throw ProcessError(
            "\(program.printable(limit: 1000)) cannot be started: \(String(cString: strerror(errno))).")
    }

    /// A path as an absolute one.
    static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
