internal import Plan
internal import Profiles

extension ControlStatus {
    /// What the plan needs of the machine as it runs now; 1 is all of a resource.
    public struct Cost: Sendable, Equatable, Codable {
        /// Use of one resource.
        public struct Term: Sendable, Equatable, Codable {
            /// Name of the resource, such as `cpu` or `usb:1`.
            public var resource: String
            /// Share of the resource that is used.
            public var used: Double
            /// The parts of the plan that use the resource, the largest share first.
            public var owners: [Owner]
            /// The use in absolute quantities, as a sentence.
            public var text: String
        }

        /// One owner's part in the use of a resource.
        public struct Owner: Sendable, Equatable, Codable {
            /// `program`, `session`, a role, or a device that another program uses.
            public var name: String
            /// Share of the resource that it uses.
            public var used: Double
        }

        /// Use of the scarcest resource.
        public var hardware: Double
        /// The largest use that the profile allows.
        public var budget: Double
        /// Use of each resource, the scarcest first.
        public var terms: [Term]
        /// A sentence for each resource whose use is not known.
        public var unknown: [String]

        init(_ cost: HardwareCost, budget: Double) {
            // JSON has no infinity, and a resource of which there is none costs infinitely much.
            func rounded(_ value: Double) -> Double { (min(value, 1e9) * 10_000).rounded() / 10_000 }
            hardware = rounded(cost.total)
            self.budget = budget
            terms = cost.terms.map { term in
                Term(
                    resource: term.resource, used: rounded(term.used),
                    owners: term.parts.map { Owner(name: $0.owner, used: rounded($0.used)) },
                    text: term.explanation)
            }
            unknown = cost.unknown
        }
    }
}
