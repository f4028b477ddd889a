import Foundation
import MulticamMedia
import MulticamSessionFolder
import MulticamVirtualDevices
import Testing

/// The deviation of each frame of a recorded 320×180 track from its tick in seconds, according to its code
/// strip. It is the true capture time minus the tick's time, or `nil` for a slate, which has no code strip.
struct StripErrors {
    let values: [Double?]
    let rate: Double

    init(_ recording: Recording, _ name: String) throws {
        let track = try recording.track(name)
        let rate = try #require(track.rate)
        let start = Double(recording.manifest.t0_monotonic_ns) / 1e9
        let strips = try Reader.strips(
            recording.path(track.file), size: FrameSize(width: 320, height: 180))
        values = strips.enumerated().map { tick, strip in
            // The strip's time wraps after 2²⁴ tenths of a millisecond.
            strip.map {
                (Double($0.time) / 1e4 - start - Double(tick) / rate).remainder(dividingBy: 1677.7216)
            }
        }
        self.rate = rate
    }

    /// Returns the largest error between two times in seconds; infinite if a frame is a slate.
    func largest(_ seconds: Range<Double>) -> Double {
        let range = Int(seconds.lowerBound * rate)..<min(Int(seconds.upperBound * rate), values.count)
        return values[range].map { $0.map(abs) ?? .infinity }.max() ?? .infinity
    }
}
