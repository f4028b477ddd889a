import FoundationEssentials
import MulticamArguments
import MulticamSessionFolder

/// The manual pages of the program, for man(1).
enum Manual {
    /// Returns the manual page of a command or of the program.
    ///
    /// The date in the page is the value of the environment variable `SOURCE_DATE_EPOCH`, in seconds since
    /// 1970, which makes the pages of a version reproducible. If the variable isn't set, the page contains
    /// the current date.
    ///
    /// - Parameters:
    ///   - command: The command to describe; `nil` for the page of the program.
    ///   - program: The program's name.
    ///   - summary: The purpose of the program.
    ///   - commands: All commands.
    /// - Returns: The text of the page in the format of man(1).
    static func page(
        of command: CommandSpec?, program: String, summary: String, commands: [CommandSpec]
    ) -> String {
        let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap { UInt32($0) }
        let date = epoch.map { Date(timeIntervalSince1970: TimeInterval($0)) } ?? Date()
        let day = date.formatted(.iso8601.year().month().day())
        if let command { return ManualPage.of(command, version: MulticamVersion.current, date: day) }
        return ManualPage.of(
            program: program, summary: summary, commands: commands,
            sections: [exitStatuses, files, examples], version: MulticamVersion.current, date: day)
    }

    private static let exitStatuses = HelpSection(
        "Exit status",
        [
            ("0", "Done."), ("1", "Other failure."), ("2", "Usage or profile error."),
            ("3", "A device is missing or busy."), ("4", "No permission."),
            ("5", "Over budget, and reductions are not allowed."),
            ("6", "Finished, with losses exceeding the profile's limit."),
            ("7", "Storage failed; data recorded before the failure was saved."), ("130", "Aborted."),
        ])
    private static let files = HelpSection(
        "Files",
        [
            ("recordings", "Session folders (in the current folder)."),
            ("~/.config/multicam/profiles", "The user's profiles."),
            ("~/.local/state/multicam", "Saved device choices, presets, and calibrations."),
        ])
    private static let examples = HelpSection(
        "Examples",
        [
            ("multicam record --profile pip --virtual --duration 10", "Record ten seconds without a camera."),
            ("multicam studio", "Open the control room in a browser."),
            ("multicam doctor", "Check the computer for problems and suggest fixes."),
        ])
}
