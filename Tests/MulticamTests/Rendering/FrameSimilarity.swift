import Foundation
import MulticamInterchange
import MulticamMedia
import MulticamTiming

/// Measures the similarity of a rendered file and a recorded program with ffmpeg, frame by frame.
enum FrameSimilarity {
    /// Compares frame by frame, ignoring the timestamps in the files.
    ///
    /// - Parameters:
    ///   - one: Path of a file.
    ///   - others: Paths of the files to compare it with, in order. A program that was split has several
    ///   files.
    /// - Returns: The SSIM of each frame, where 1 means identical.
    /// - Throws: An error if ffmpeg can't read a file.
    static func ofFrames(_ one: String, _ others: [String]) throws -> [Double] {
        let list = one + ".list"
        try others.map { "file '\($0)'\n" }.joined().write(toFile: list, atomically: true, encoding: .utf8)
        let log = one + ".ssim"
        try Reader.run(
            "ffmpeg",
            [
                "-v", "fatal", "-i", one, "-f", "concat", "-safe", "0", "-i", list, "-lavfi",
                "[0:v:0]settb=1/1000,setpts=N*10[a];[1:v:0]settb=1/1000,setpts=N*10[b];[a][b]ssim=stats_file=\(log)",
                "-f", "null", "-",
            ])
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        return lines.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("All:") }.flatMap { Double($0.dropFirst(4)) }
        }
    }

    /// Returns the frames of a cut in which every shown camera has a running track and no gap is near.
    static func comparable(_ cut: Cut, of session: RecordedSession) -> Set<Int> {
        var frames: Set<Int> = []
        for shot in cut.shots {
            let angles = shot.cameras.map { session.angle($0) }
            for frame in shot.first..<shot.end {
                let time = session.rate.time(ofTick: frame)
                let isThere = angles.allSatisfy { angle in
                    guard let angle, angle.parts.contains(where: { $0.from <= time && time < $0.to }) else {
                        return false
                    }
                    let near = 2 * session.rate.interval.count
                    return !angle.gaps.contains { gap in
                        time.nanoseconds >= gap.from.nanoseconds - near
                            && time.nanoseconds < gap.to.nanoseconds + near
                    }
                }
                if isThere { frames.insert(Int(frame)) }
            }
        }
        return frames
    }
}
