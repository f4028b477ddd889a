internal import Inputs
internal import Media

/// Measures how a camera's frames look from an instant on. Its tap runs on a thread of its own.
final class FrameLookMeter: Sendable {
    /// The tap to attach to a session.
    let tap: FrameTap
    private let looks: ConditionLock<[FrameLookAverage]>

    /// As many frames are measured.
    private static let count = 7
    /// Frames are scaled to this size, which is enough for a mean.
    private static let size = FrameSize(width: 64, height: 36)

    /// Prepares to measure a camera's frames.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - begin: Frames that were captured earlier do not count.
    init(_ role: String, from begin: ClockTime) {
        let looks = ConditionLock<[FrameLookAverage]>([])
        self.looks = looks
        tap = FrameTap(
            role: role, FrameRequest(.converted(.i420), size: Self.size), isPreview: true
        ) { frame in
            guard frame.capturedAt >= begin, let look = FrameLookAverage(frame) else { return }
            looks.broadcast { $0.append(look) }
        }
    }

    /// Waits for the frames, and tells their median; `nil` when they do not come in time.
    func average(until deadline: ClockTime) -> FrameLookAverage? {
        let found = looks.wait(until: deadline) { $0.count >= Self.count ? $0 : nil }
        return found.flatMap { FrameLookAverage.median(of: $0) }
    }
}
