import MulticamSyntheticMachines
import Testing

@testable import MulticamDoctor

/// A fault of a machine and the expected finding.
struct MachineFaultCase: Sendable, CustomTestStringConvertible {
    let name: String
    let files: @Sendable (SyntheticMachine) throws -> Void
    let facts: @Sendable (inout Machine) -> Void
    let check: String
    let level: Finding.Level
    /// Expected parts of the finding's text.
    let text: [String]
    /// The exact command that the finding recommends, or `nil` if none is expected.
    let recommendedCommand: String?

    init(
        _ name: String, files: @escaping @Sendable (SyntheticMachine) throws -> Void = { _ in },
        facts: @escaping @Sendable (inout Machine) -> Void = { _ in }, _ check: String,
        _ level: Finding.Level,
        _ text: String..., recommendedCommand: String? = nil
    ) {
        (self.name, self.files, self.facts) = (name, files, facts)
        (self.check, self.level, self.text, self.recommendedCommand) = (
            check, level, text, recommendedCommand
        )
    }

    var testDescription: String { name }
}
