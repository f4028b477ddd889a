import Arguments

/// One command, the first word after `multicam`.
///
/// `init` turns all words into typed values, so that `run` checks no strings. Data goes to standard output, everything else to
/// standard error.
protocol Command: Sendable {
    static var spec: CommandSpec { get }
    init(_ arguments: ParsedArguments) throws(UsageError)
    func run() async throws -> ExitStatus
}
