internal import FoundationEssentials
internal import Glibc

extension SessionPlan {
    /// Linear gain of each microphone in the program's mix, by role; microphones that are not in the mix are left out.
    package var mixGains: [String: Float] {
        let mix = program?.mix ?? []
        return Dictionary(
            microphones.filter { mix.contains($0.role) }.map { ($0.role, Float(pow(10, $0.gain / 20))) },
            uniquingKeysWith: { first, _ in first })
    }
}
