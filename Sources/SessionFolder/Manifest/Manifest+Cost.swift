package import Plan

extension Manifest {
    /// Predicted need of machine resources, and what the recording took; times and memory are `nil` in simulated time.
    public struct Cost: Sendable, Equatable, Codable {
        /// Predicted use of the scarcest resource by the plan that ran: 1 is all of it. `nil` where no cost was computed.
        public var hardware: Double?
        /// Predicted use of each resource, the scarcest first; `nil` where no cost was computed.
        public var terms: [CostTerm]?
        /// Figures that the prediction did not know, one sentence each; `nil` where no cost was computed.
        public var unknown: [String]?
        /// Reductions of the plan before the start, in order; `nil` where no cost was computed.
        public var reductions: [Reduction]?
        /// Processor time of the process in nanoseconds, without the threads that stand in for hardware.
        public var cpu_ns: Int64?
        /// Most memory that the process held at once, in bytes (`ru_maxrss` of getrusage(2)).
        public var peak_memory_bytes: Int64?
        /// System pressure during the recording; `nil` where it was not watched.
        public var pressure: Pressure?

        package init(
            hardware: Double? = nil, terms: [CostTerm]? = nil, unknown: [String]? = nil,
            reductions: [Reduction]? = nil, cpu_ns: Int64? = nil, peak_memory_bytes: Int64? = nil,
            pressure: Pressure? = nil
        ) {
            self.hardware = hardware
            self.terms = terms
            self.unknown = unknown
            self.reductions = reductions
            self.cpu_ns = cpu_ns
            self.peak_memory_bytes = peak_memory_bytes
            self.pressure = pressure
        }
    }

    /// Predicted use of one resource.
    public struct CostTerm: Sendable, Equatable, Codable {
        /// Name of the resource.
        public var resource: String
        /// Share of the resource that the plan uses: 1 is all of it.
        public var used: Double
        /// How the share comes about, for people.
        public var explanation: String
        /// Shares of the program and of each role.
        public var parts: [CostPart]
    }

    /// Share of one resource that the program or one role uses.
    public struct CostPart: Sendable, Equatable, Codable {
        /// `program`, or the role.
        public var owner: String
        /// Share of the resource: 1 is all of it.
        public var used: Double
    }

    /// A reduction of the plan before the start.
    public struct Reduction: Sendable, Equatable, Codable {
        /// The reduction in words, for example `face size 1280x720 → 960x540`.
        public var step: String
        /// Why this step was taken, as a sentence.
        public var reason: String
        /// Hardware cost before the reduction: 1 is all of the scarcest resource.
        public var before: Double
        /// Hardware cost after the reduction: 1 is all of the scarcest resource.
        public var after: Double
    }
}

extension Manifest.Cost {
    /// Takes the predicted cost of a plan before the start; `nil` where no cost was computed.
    package init?(_ reduction: PlanReduction?) {
        guard let reduction else { return nil }
        hardware = Self.rounded(reduction.cost.total)
        terms = reduction.cost.terms.map { term in
            Manifest.CostTerm(
                resource: term.resource, used: Self.rounded(term.used), explanation: term.explanation,
                parts: term.parts.map { Manifest.CostPart(owner: $0.owner, used: Self.rounded($0.used)) })
        }
        unknown = reduction.cost.unknown
        reductions = reduction.steps.map {
            Manifest.Reduction(
                step: $0.step, reason: $0.reason, before: Self.rounded($0.before.total),
                after: Self.rounded($0.after.total))
        }
    }

    /// Rounds a cost to 0.0001, which is more than is known of any, and limits it to 10⁹: a resource of which there is none
    /// costs infinitely much, and JSON has no infinity.
    package static func rounded(_ value: Double) -> Double {
        Manifest.Clock.rounded(min(value, 1e9), 10_000)
    }
}
