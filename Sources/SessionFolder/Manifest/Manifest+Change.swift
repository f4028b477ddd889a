extension Manifest {
    /// What a person changed of the program while it was recorded.
    public struct Change: Sendable, Equatable, Codable {
        /// Of the first frame or sample that shows it.
        public var at_ns: Int64
        /// As the person said it: `swap`, `layout grid`, `gain host -6.0`.
        public var changes: [String]
        /// What holds from then on; `nil` without a program.
        public var layout: String?
        /// Roles of the cameras that are seen, the main one first.
        public var shown: [String]?
        /// Roles of the microphones that are heard.
        public var mix: [String]?

        package init(
            at_ns: Int64, changes: [String], layout: String? = nil, shown: [String]? = nil,
            mix: [String]? = nil
        ) {
            self.at_ns = at_ns
            self.changes = changes
            self.layout = layout
            self.shown = shown
            self.mix = mix
        }
    }
}
