/// A single fault in a recording. It is given by the interface at which it is injected (the seam), the call,
/// and the kind of fault.
///
/// For example, `camera.desk.event:7:twice:1` duplicates the seventh event of the camera `desk`; the last
/// number is the seed for random parts. With a `+` after the kind (`encoder.program:7:throws+:1`), all later
/// calls fail, too.
struct Fault: Hashable, Sendable {
    let seam: String
    /// Number of the call, starting at 1.
    let call: Int
    let kind: String
    let isLasting: Bool
    let seed: UInt64

    init(_ seam: String, _ call: Int, _ kind: String, isLasting: Bool = false, seed: UInt64 = 1) {
        self.seam = seam
        self.call = call
        self.kind = kind
        self.isLasting = isLasting
        self.seed = seed
    }

    /// Parses a `description`. Returns `nil` for other text.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let call = Int(parts[1]), call > 0, let seed = UInt64(parts[3]) else {
            return nil
        }
        let isLasting = parts[2].hasSuffix("+")
        self.init(
            parts[0], call, isLasting ? String(parts[2].dropLast()) : parts[2], isLasting: isLasting,
            seed: seed)
    }
}

extension Fault: CustomStringConvertible {
    var description: String { "\(seam):\(call):\(kind)\(isLasting ? "+" : ""):\(seed)" }
}
