internal import Foundation

extension SessionPlan {
    /// How loud each microphone is in the program's audio, linear, by role; the others are not heard there.
    package var mixGains: [String: Float] {
        let mix = program?.mix ?? []
        return Dictionary(
            microphones.filter { mix.contains($0.role) }.map { ($0.role, Float(pow(10, $0.gain / 20))) },
            uniquingKeysWith: { first, _ in first })
    }
}
