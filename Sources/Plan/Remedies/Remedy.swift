/// Something that a person could do so that a plan costs less, and what it would cost then.
public struct Remedy: Sendable, Equatable {
    /// What it asks of the person, the least first.
    public enum Effort: String, Sendable, Comparable, CaseIterable {
        /// A cable is put into another socket.
        case move
        /// Another pixel format.
        case compress
        /// A faster preset: a larger file, or finer detail lost.
        case preset
        /// The camera's own frames instead of encoded ones.
        case copy
        /// A program is closed that has a camera.
        case stopOther = "stop-other"
        /// Fewer pixels.
        case size
        /// Fewer frames.
        case rate

        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    public let effort: Effort
    /// `move face to another controller (bus 3 of 0000:00:1d.0)`.
    public let action: String
    /// The hardware cost as it is.
    public let before: Double
    /// And with that.
    public let after: Double

    /// `move face to another controller (bus 3 of 0000:00:1d.0): cost 1.3 → 0.7`.
    public var sentence: String { "\(action): cost \(Self.tenths(before)) → \(Self.tenths(after))" }

    /// Two digits behind the point where one would hide the difference.
    private static func tenths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
