/// One thing that goes wrong in a recording: at which call of which seam, and what happens there.
///
/// `camera.desk.event:7:twice:1` is the seventh event of the camera `desk`, which comes twice; the last number is the seed of what is
/// random in it. With a `+` behind its kind (`encoder.program:7:throws+:1`) all later calls fail alike.
struct Fault: Hashable, Sendable {
    let seam: String
    /// From 1 on.
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

    /// Reads what `description` says; `nil` for anything else.
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
