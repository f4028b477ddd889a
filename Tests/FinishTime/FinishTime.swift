import Foundation
import MulticamContainers
import MulticamMedia

/// Writes a movie of JPEG frames and prints, as JSON, how long finishing it takes.
///
///     finish-time FILE GIGABYTES PICTURE_BYTES sparse|full
///
/// In a sparse movie, frames are holes except for their first bytes, but the index has the full length. This
/// program is used by `tools/finish-time`.
@main
struct FinishTime {
    /// Number of frames per fragment, which is half a second.
    private static let perFragment = 15

    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 5, let gigabytes = Double(words[2]), let frameBytes = Int(words[3]),
            ["sparse", "full"].contains(words[4])
        else {
            print("usage: finish-time FILE GIGABYTES PICTURE_BYTES sparse|full")
            exit(2)
        }
        let isSparse = words[4] == "sparse"
        let parameters = StreamParameters(
            codec: .mjpeg, timeScale: 30, size: FrameSize(width: 3840, height: 2160), rate: FrameRate(30))
        let file = try MovieFile(
            path: words[1], kind: .mov, tracks: [.video(parameters, name: "desk")], createdAt: Date())
        let frame = Self.frame(byteCount: isSparse ? 1024 : frameBytes)
        let fragments = Int(gigabytes * 1e9) / (frameBytes * perFragment)
        for tick in 0..<Int64(fragments * perFragment) {
            try file.append(
                EncodedPacket(bytes: frame, presentation: tick, decode: tick, duration: 1, isKey: true),
                to: 0)
            if isSparse, (tick + 1) % Int64(perFragment) == 0 {
                try file.appendHole(byteCount: Int64((frameBytes - 1024) * perFragment))
            }
        }
        let clock = ContinuousClock()
        let began = clock.now
        let summary = try file.finish()
        let seconds = (clock.now - began) / .seconds(1)
        print(
            """
            {"seconds": \(seconds), "bytes": \(summary.byteCount), "frames": \(summary.tracks[0].sampleCount)}
            """)
    }

    /// Returns bytes that start and end like a JPEG.
    private static func frame(byteCount: Int) -> SharedBytes {
        var bytes = [UInt8](repeating: 0x55, count: byteCount)
        bytes.replaceSubrange(0..<4, with: [0xFF, 0xD8, 0xFF, 0xE0])
        bytes.replaceSubrange((byteCount - 2)..<byteCount, with: [0xFF, 0xD9])
        return SharedBytes(bytes)
    }
}
