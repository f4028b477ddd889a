import Foundation
import Interchange
import Media
import Timing

/// Similarity of a rendered file and a recorded program, frame by frame, measured by ffmpeg.
enum Likeness {
    /// Compares frame by frame, ignoring the timestamps in the files.
    ///
    /// - Parameters:
    ///   - one: Path of a file.
    ///   - others: Paths of the files to compare it with, in order: a program that was split has several.
    /// - Returns: SSIM of each frame; 1 means identical.
    /// - Throws: If ffmpeg can't read a file.
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

    /// The frames of a cut while every shown camera has a running track and no gap is near.
    static func comparable(_ cut: Cut, of session: RecordedSession) -> Set<Int> {
        var frames: Set<Int> = []
        for shot in cut.shots {
            let angles = shot.show.map { session.angle($0) }
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
