package import MulticamMedia

/// Chooses the cover picture of the program, which represents the program in file managers and players, and
/// encodes the picture as JPEG. This class is used by the encoder's thread.
///
/// This class captures the frames at T0 and at 1, 2, 4, 8 … seconds, and keeps the last two. Regardless of
/// the recording's length, the earlier of these two frames is from the second quarter of the recording. At
/// that time, people are usually seated and not reaching for the stop button.
package final class ProgramCover: Sendable {
    private struct State {
        var frames: [CapturedFrame] = []
        /// The next required tick; frames of earlier ticks are ignored.
        var nextTick: Int64 = 0
    }

    private let state = ConditionLock(State())
    private let second: Int64

    /// Maximum size of the JPEG in bytes. This space is reserved on the disk from the start of the recording.
    package static let maxByteCount = 256 << 10
    /// Width of the JPEG in pixels, suitable for thumbnails in file managers.
    private static let width: Int64 = 640

    /// Creates a cover without a frame.
    ///
    /// - Parameter rate: Rate of the program's grid.
    package init(rate: FrameRate) {
        second = max(1, rate.ticks(before: MediaTime(nanoseconds: 1_000_000_000)))
    }

    /// Whether the frame of a tick is required.
    package func needsFrame(at tick: Int64) -> Bool { state.withLock { tick >= $0.nextTick } }

    /// Stores the frame of a required tick.
    package func store(_ frame: CapturedFrame, at tick: Int64) {
        let second = second
        state.withLock { state in
            state.frames = state.frames.suffix(1) + [frame]
            state.nextTick = max(second, 2 * tick)
        }
    }

    /// Encodes the JPEG. Returns `nil` if there is no frame, or if the JPEG is too large.
    package func makeJPEG(by codecs: any CodecFactory) -> SharedBytes? {
        guard let frame = state.withLock({ $0.frames.first }) else { return nil }
        let (width, height) = (Int64(frame.size.width), Int64(frame.size.height))
        let columns = min(width, Self.width)
        let size = FrameSize(
            width: max(2, Int(columns) & ~1),
            height: max(2, Int(height.rescaled(from: width, to: columns)) & ~1))
        do throws(EncodingError) {
            let small = try codecs.convert(frame, to: .i420, part: nil, size: size)
            let jpeg = try codecs.makeStill(of: small)
            return jpeg.count <= Self.maxByteCount ? jpeg : nil
        } catch {
            // The program is complete without a cover.
            return nil
        }
    }
}
