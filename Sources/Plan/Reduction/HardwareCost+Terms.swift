extension HardwareCost {
    /// Creates a cost from terms that do not come from a plan and a machine model.
    init(terms: [Term], unknown: [String]) {
        self.terms = terms.sorted { ($1.used, $0.resource) < ($0.used, $1.resource) }
        self.unknown = unknown
    }
}
