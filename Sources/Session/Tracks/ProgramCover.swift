internal import Media

/// Chooses the frame that stands for the program where it is not played, and makes the JPEG of it. The encoder's thread uses it.
///
/// It takes the frames at T0 and at 1, 2, 4, 8 … seconds, and keeps the last two. The earlier one lies between a quarter and a half
/// of the recording, where people sit and nobody looks for the button, however long the recording becomes.
final class ProgramCover: Sendable {
    private struct State {
        var frames: [CapturedFrame] = []
        /// The first tick of which a frame is wanted.
        var due: Int64 = 0
    }

    private let state = ConditionLock(State())
    private let second: Int64

    /// Most bytes of the JPEG: room for them is kept on the disk from the beginning.
    static let mostBytes = 256 << 10
    /// Columns of the JPEG, as many as lists of files show.
    private static let width: Int64 = 640

    /// Begins without a frame.
    ///
    /// - Parameter rate: Rate of the program's grid.
    init(rate: FrameRate) { second = max(1, rate.ticks(before: MediaTime(nanoseconds: 1_000_000_000))) }

    /// Whether the frame of a tick is wanted.
    func wants(_ tick: Int64) -> Bool { state.withLock { tick >= $0.due } }

    /// Takes the frame of a tick that is wanted.
    func take(_ frame: CapturedFrame, of tick: Int64) {
        let second = second
        state.withLock { state in
            state.frames = state.frames.suffix(1) + [frame]
            state.due = max(second, 2 * tick)
        }
    }

    /// Makes the JPEG; `nil` where there is no frame, or it is too large.
    func jpeg(by codecs: any CodecFactory) -> SharedBytes? {
        guard let frame = state.withLock({ $0.frames.first }) else { return nil }
        let (width, height) = (Int64(frame.size.width), Int64(frame.size.height))
        let columns = min(width, Self.width)
        let size = FrameSize(
            width: max(2, Int(columns) & ~1),
            height: max(2, Int(height.rescaled(from: width, to: columns)) & ~1))
        do throws(EncodingError) {
            let small = try codecs.convert(frame, to: .i420, part: nil, size: size)
            let jpeg = try codecs.makeStill(of: small)
            return jpeg.count <= Self.mostBytes ? jpeg : nil
        } catch {
            // The program is whole without it.
            return nil
        }
    }
}
