/// All of the program that people change while it runs: to be returned to.
struct ProgramState: Sendable, Equatable {
    let arrangement: ProgramArrangement
    let mix: [String]
    /// Gains in decibels, by role.
    let gains: [String: Double]

    /// The state of a plan's program; `nil` where it has none.
    init?(of plan: SessionPlan) {
        guard let program = plan.program else { return nil }
        arrangement = program.arrangement
        mix = program.mix
        gains = Dictionary(plan.microphones.map { ($0.role, $0.gain) }) { $1 }
    }
}
