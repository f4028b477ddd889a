import Arguments
import Glibc
import Media

/// Checks that the bytes that this program takes for text are UTF-8: its words, its folder, and the folders that variables name.
///
/// To Linux a path is bytes. Invalid UTF-8 that is converted to text names another path, so a recording would be made in a folder
/// beside the intended one.
enum Surroundings {
    private static let variables = [
        "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR",
        "TMPDIR",
    ]

    /// Checks the command line, the variables and the current folder.
    ///
    /// - Throws: `UsageError` with what is not UTF-8, and what to do about it.
    static func check() throws(UsageError) {
        for index in 0..<Int(CommandLine.argc) {
            guard let word = CommandLine.unsafeArgv[index], index > 0 else { continue }
            guard isText(word) else {
                throw UsageError(
                    "`\(shown(word))` is no UTF-8: paths and names are taken in UTF-8 alone, so that nothing is recorded elsewhere. "
                        + "Rename it, or name another.")
            }
        }
        for name in variables {
            guard let value = getenv(name), !isText(value) else { continue }
            throw UsageError("\(name) is no UTF-8 (\(shown(value))): set it to a folder whose name is.")
        }
        guard let folder = getcwd(nil, 0) else {
            throw UsageError(
                "the folder that you are in is not there any more: change to another one with `cd`.")
        }
        defer { free(folder) }
        guard isText(folder) else {
            throw UsageError(
                "the name of the folder that you are in is no UTF-8 (\(shown(folder))): paths from here would lead elsewhere. "
                    + "Change to another one with `cd`.")
        }
    }

    private static func isText(_ bytes: UnsafePointer<CChar>) -> Bool {
        String(validatingCString: bytes) != nil
    }

    private static func shown(_ bytes: UnsafePointer<CChar>) -> String {
        String(cString: bytes).printable(limit: 400)
    }
}
