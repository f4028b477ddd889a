/// A change that a person could make so that a plan costs less, and the cost with it.
public struct Remedy: Sendable, Equatable {
    /// The kind of effort that a remedy asks of the person, the least first.
    public enum Effort: String, Sendable, Comparable, CaseIterable {
        /// Putting a cable into another socket.
        case move
        /// Taking another pixel format.
        case compress
        /// Choosing a faster preset: a larger file, or finer detail lost.
        case preset
        /// Storing the camera's own frames instead of encoded ones.
        case copy
        /// Closing a program that uses a camera.
        case stopOther = "stop-other"
        /// Accepting fewer pixels.
        case size
        /// Accepting fewer frames.
        case rate

        /// Orders efforts, the least first.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The effort that the change asks of the person.
    public let effort: Effort
    /// The change in words: `move face to another controller (bus 3 of 0000:00:1d.0)`.
    public let action: String
    /// The change as values of the profile's fields, by path: `["cameras.face.format": "mjpeg"]`. Empty where no edit of the profile
    /// makes it, because somebody has to move a cable or close a program.
    public let edits: [String: String]
    /// The hardware cost without the change.
    public let before: Double
    /// The hardware cost with the change.
    public let after: Double

    /// The change with its effect: `move face to another controller (bus 3 of 0000:00:1d.0): cost 1.3 → 0.7`.
    public var sentence: String { "\(action): cost \(Self.tenths(before)) → \(Self.tenths(after))" }

    /// A cost in words, with two decimal places where one would hide the difference.
    private static func tenths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
