import MulticamArguments
import MulticamMedia
import MulticamProfiles
import MulticamSessionFolder

/// Generates tables for the documentation from the definitions in the program.
///
/// `tools/docs` inserts the output of `multicam help --table NAME` between the lines `<!-- table NAME: … -->`
/// and `<!-- end of table -->` of a documentation page.
enum ReferenceTable {
    /// Returns a table as lines of Markdown.
    ///
    /// - Parameter name: Name of the table.
    /// - Returns: The header, the separator, and the rows of the table, one line each.
    /// - Throws: `UsageError` if no table has this name.
    static func lines(named name: String) throws(UsageError) -> [String] {
        switch name {
        case "loss-causes":
            CommandReference.table(
                ["cause", "meaning", "remedy"],
                LossCause.allCases.map { ["`\($0.rawValue)`", $0.meaning, $0.typicalExplanation.remedy] })
        case "events":
            CommandReference.table(["event", "meaning", "fields"], EventReference.rows)
        case "layouts":
            CommandReference.table(
                ["layout", "picture", "minimum number of cameras", "default of `inset`", "default of `fit`"],
                ProgramLayout.allCases.map { layout in
                    let insets =
                        switch layout.profileCameras {
                        case nil: "all other cameras"
                        case 1: "none"
                        case 2: "the next camera"
                        case let count?: "the next \(count - 1) cameras"
                        }
                    return [
                        "`\(layout.rawValue)`", layout.summary, "\(layout.minimumCameras)", insets,
                        "`\(layout.defaultFit.rawValue)`",
                    ]
                })
        default: throw UsageError("Unknown table `\(name.printable())`.")
        }
    }
}
