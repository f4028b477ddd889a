import Arguments
import Glibc
import Media

/// What a process gets as bytes and this program takes for text: its words, its folder, and the folders that variables name.
///
/// To Linux a path is bytes. Text that is made of bytes that are no UTF-8 is another path, so that what is recorded would lie in a
/// folder beside the one that was meant.
enum Surroundings {
    private static let variables = [
        "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR",
        "TMPDIR",
    ]

    /// - Throws: What is no UTF-8, and what to do about it.
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
