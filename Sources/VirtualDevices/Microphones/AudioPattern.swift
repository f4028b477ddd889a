import Glibc
import Media

/// The audio that a synthetic microphone hears: a function of CLOCK_MONOTONIC.
struct AudioPattern: Sendable {
    let pattern: VirtualMicrophoneSettings.Pattern
    let channels: Int

    private static let frequency = 1000.0
    private static let amplitude = 0.5
    private static let beepSeconds = 0.04

    /// Computes the samples of one slice.
    ///
    /// - Parameters:
    ///   - count: Samples per channel.
    ///   - start: Capture time of the first sample.
    ///   - interval: Seconds from one sample to the next, by the device's own clock.
    /// - Returns: `count` × `channels` interleaved values, the same in every channel.
    func samples(_ count: Int, from start: ClockTime, every interval: Double) -> [Float] {
        // Between two claps the wave is computed from the last one; within a slice a double is exact enough: to 10⁻¹⁵ s.
        let sinceClap = Clap.timeSince(start).inSeconds
        let isSilent =
            switch pattern {
            case .silence: true
            case .tone: false
            case .clap: sinceClap >= Self.beepSeconds && sinceClap + Double(count) * interval < 1
            }
        guard !isSilent else { return Array(repeating: 0, count: count * channels) }
        return Array(unsafeUninitializedCapacity: count * channels) { samples, filled in
            for index in 0..<count {
                let value = value(sinceClap + Double(index) * interval)
                for channel in 0..<channels { samples[index * channels + channel] = value }
            }
            filled = count * channels
        }
    }

    private func value(_ seconds: Double) -> Float {
        // A slice is shorter than a second.
        let time = seconds >= 1 ? seconds - 1 : seconds
        guard pattern == .tone || time < Self.beepSeconds else { return 0 }
        return Float(Self.amplitude * sin(2 * .pi * Self.frequency * time))
    }
}
