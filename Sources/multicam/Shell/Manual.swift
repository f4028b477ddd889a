import Arguments
import FoundationEssentials
import SessionFolder

/// The manual pages, for man(1).
enum Manual {
    /// The page of a command, or of the program.
    ///
    /// Its date is that of the variable `SOURCE_DATE_EPOCH`, in seconds since 1970, so that a version's pages are the same each time;
    /// without the variable it is today's.
    ///
    /// - Parameters:
    ///   - command: The command; `nil` for the program.
    ///   - program: The program's name.
    ///   - summary: What the program is for.
    ///   - commands: All commands.
    /// - Returns: The page for man(1).
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
            ("0", "Done as asked."), ("1", "Anything else."), ("2", "Usage or profile error."),
            ("3", "A device is missing or busy."), ("4", "No permission."),
            ("5", "Over budget, and not allowed to reduce."),
            ("6", "Finished, with losses beyond the profile's limit."),
            ("7", "Storage failed; what was recorded is saved."), ("130", "Aborted."),
        ])
    private static let files = HelpSection(
        "Files",
        [
            ("recordings", "Session folders, in the folder in which the command was started."),
            ("~/.config/multicam/profiles", "Your own profiles."),
            ("~/.local/state/multicam", "Choices of devices, presets and calibrations."),
        ])
    private static let examples = HelpSection(
        "Examples",
        [
            ("multicam record --profile pip --virtual --duration 10", "Record ten seconds without a camera."),
            ("multicam studio", "Open the control room in a browser."),
            ("multicam doctor", "See what could spoil a recording, and what mends it."),
        ])
}
