extension Manifest {
    /// A change that a person made to the program during the recording.
    public struct Change: Sendable, Equatable, Codable {
        /// Time of the first frame or sample that shows the change, in nanoseconds since T0.
        public var at_ns: Int64
        /// Requests of the person, in words: `swap`, `layout grid`, `gain host -6.0`.
        public var changes: [String]
        /// Layout of the program after the change; `nil` without a program.
        public var layout: String?
        /// Roles of the cameras that the program shows after the change, the main one first; `nil` without a program.
        public var shown: [String]?
        /// Roles of the microphones that the program mixes after the change; `nil` without a program.
        public var mix: [String]?

        /// Hardware cost of the plan after the change: 1 is all of the scarcest resource. `nil` where it was not priced.
        public var cost: Double?
        /// Largest hardware cost that the profile allows; `nil` where the change was not priced.
        public var budget: Double?
        /// What cameras gave so that the change fits, such as `guest 1280x720@30 → 1280x720@20`; `nil` for nothing.
        public var reductions: [String]?

        package init(
            at_ns: Int64, changes: [String], layout: String? = nil, shown: [String]? = nil,
            mix: [String]? = nil, cost: Double? = nil, budget: Double? = nil, reductions: [String]? = nil
        ) {
            self.at_ns = at_ns
            self.changes = changes
            self.layout = layout
            self.shown = shown
            self.mix = mix
            self.cost = cost
            self.budget = budget
            self.reductions = reductions
        }
    }
}
