import Arguments

/// One word after `multicam`: what it understands and what it does.
///
/// Parsing ends in `init` with typed values; `run` never sees a string that it has to check. Data goes to standard
/// output, everything else to standard error.
protocol Command: Sendable {
    static var spec: CommandSpec { get }
    init(_ arguments: ParsedArguments) throws(UsageError)
    func run() async throws -> ExitStatus
}
