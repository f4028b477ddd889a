import Foundation
import Media
import SessionFolder
import Testing
import VirtualDevices

/// How far each frame of a recorded track of 320×180 lies from its tick, in seconds, by its code strip: when it was
/// captured in truth, less when its tick stands. `nil` for a slate, which has no strip.
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
            // The strip's time comes round every 2²⁴ tenths of a millisecond.
            strip.map {
                (Double($0.time) / 1e4 - start - Double(tick) / rate).remainder(dividingBy: 1677.7216)
            }
        }
        self.rate = rate
    }

    /// Of the frames from one second to another; infinite where one of them is a slate.
    func largest(_ seconds: Range<Double>) -> Double {
        let range = Int(seconds.lowerBound * rate)..<min(Int(seconds.upperBound * rate), values.count)
        return values[range].map { $0.map(abs) ?? .infinity }.max() ?? .infinity
    }
}
