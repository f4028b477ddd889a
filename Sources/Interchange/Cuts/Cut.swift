public import Media

/// Which cameras are shown when: shots that follow each other from the first frame to the last. Pure.
public struct Cut: Sendable, Equatable {
    /// A stretch that shows the same cameras in the same layout.
    public struct Shot: Sendable, Equatable {
        /// The first frame, counted from T0 at the session's rate.
        public var first: Int64
        /// The frame after the last one.
        public var end: Int64
        /// Roles of the cameras that are shown, the main one first: from the back to the front.
        public var show: [String]
        /// The layout: `pip`, `side-by-side`, `grid` or `single`.
        public var layout: String
        /// Why this is shown, for people.
        public var why: String

        /// Creates a shot.
        public init(first: Int64, end: Int64, show: [String], layout: String, why: String) {
            self.first = first
            self.end = end
            self.show = show
            self.layout = layout
            self.why = why
        }
    }

    /// Frames per second in which the shots are counted.
    public let rate: FrameRate
    /// The shots in order: each begins with the frame after the one before; none is empty.
    public let shots: [Shot]

    /// Creates a cut of shots that follow each other.
    ///
    /// - Precondition: There is a shot, none is empty, and each begins where the one before ends.
    public init(rate: FrameRate, shots: [Shot]) {
        precondition(
            !shots.isEmpty && shots.allSatisfy { $0.first < $0.end }
                && zip(shots, shots.dropFirst()).allSatisfy { $0.end == $1.first },
            "the shots of a cut follow each other")
        self.rate = rate
        self.shots = shots
    }

    /// The shot at a frame; the last one after the end.
    public func shot(at frame: Int64) -> Shot {
        shots[(shots.firstIndex { frame < $0.end } ?? shots.count - 1)]
    }
}
