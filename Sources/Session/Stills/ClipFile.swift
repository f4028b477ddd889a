internal import Containers
internal import Foundation
internal import Media

/// Writes a camera's own JPEGs around a still as a QuickTime movie.
enum ClipFile {
    /// Writes the clip around a still. Each frame is shown at the tick of the camera's rate nearest to its capture,
    /// no two at one tick; a missing frame extends the one before it.
    static func write(_ still: Still, to path: String) throws(FileError) {
        guard let first = still.clip.first else { return }
        let rate = still.rate
        let parameters = StreamParameters(
            codec: .mjpeg, timeScale: rate.frames, size: first.size, rate: rate, color: first.color)
        let date = still.facts.date.addingTimeInterval(
            (first.capturedAt - still.frame.capturedAt).inSeconds)
        let movie = try MovieFile(
            path: path, kind: .mov,
            tracks: [.video(parameters, rotation: still.facts.rotation, name: still.role)], createdAt: date)
        let ticks = ticks(of: still.clip, rate)
        for (index, frame) in still.clip.enumerated() where frame.size == first.size {
            let next = ticks.indices.contains(index + 1) ? ticks[index + 1] : ticks[index] + 1
            try movie.append(
                EncodedPacket(
                    bytes: frame.memory, presentation: ticks[index] * rate.seconds,
                    decode: ticks[index] * rate.seconds, duration: (next - ticks[index]) * rate.seconds,
                    isKey: true),
                to: 0)
        }
        try movie.finish()
    }

    /// The tick of each frame from 0 on, strictly rising.
    static func ticks(of frames: [CapturedFrame], _ rate: FrameRate) -> [Int64] {
        guard let first = frames.first else { return [] }
        var last: Int64 = -1
        return frames.map { frame in
            let time = (frame.capturedAt - first.capturedAt).inSeconds
            last = max(last + 1, Int64(rounding: time * rate.perSecond))
            return last
        }
    }
}
