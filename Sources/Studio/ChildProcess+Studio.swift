internal import FileSystem
internal import Processes

extension ChildProcess {
    /// Starts a program of the studio.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: What follows its name.
    ///   - variables: Variables of its environment beside those of this process, each as `NAME=VALUE`.
    ///   - isWithheld: Whether it does not get the variable of this process that has a name.
    ///   - door: Leads it to the recorder; `nil` for none.
    /// - Returns: The child.
    /// - Throws: `StudioError` when the system cannot start it.
    static func started(
        _ program: String, _ arguments: [String], variables: [String] = [],
        withholding isWithheld: (String) -> Bool = { _ in false }, door: RecorderDoor? = nil
    ) throws(StudioError) -> ChildProcess {
        do throws(ProcessError) {
            return try ChildProcess(
                program, arguments, variables: variables, withholding: isWithheld,
                passing: door.map { ($0.outside.number, RecorderConnector.descriptor) })
        } catch {
            throw StudioError(error.description)
        }
    }
}
