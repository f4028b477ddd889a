import Foundation
import MulticamMedia
import Testing

/// A short stream made by ffmpeg, as packets, with its original file.
struct Clip: Sendable {
    let parameters: StreamParameters
    let packets: [EncodedPacket]
    /// The MD5 of each decoded frame or audio slice, in presentation order.
    let frames: [String]
    /// The file with the stream that ffmpeg created.
    let reference: Data

    static let size = FrameSize(width: 64, height: 48)

    /// Three seconds of H.264 with B-frames and a key frame every half second.
    static let film = Result { try h264(coder: ["-bf", "2", "-g", "15", "-x264-params", "aud=1:b-adapt=0"]) }
    /// Three seconds of H.264 without B-frames, like a camera's stream.
    static let camera = Result { try h264(coder: ["-bf", "0", "-g", "15", "-x264-params", "aud=1"]) }

    private static func h264(coder: [String]) throws -> Clip {
        let folder = try Folder()
        let path = folder.file("clip.mp4")
        try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "testsrc2=size=64x48:rate=30:duration=3,noise=c0s=12:c0f=t", "-c:v", "libx264",
            ]
                + coder + ["-pix_fmt", "yuv420p", "-video_track_timescale", "90000", path])
        let stream = try Program.run(
            "ffmpeg",
            ["-v", "error", "-i", path, "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"])
        let delimiter = Data([0, 0, 0, 1, 9])
        // ffmpeg writes the first frame's parameter sets before its delimiter, and shortens the delimiter's
        // start code.
        let later = stream.split(before: delimiter)
        let frames = [stream.dropLast(later.reduce(0) { $0 + $1.count })] + later
        let times = try Probe.packets(path, stream: "v:0")
        try #require(frames.count == times.count)
        let packets = zip(frames, times).map { frame, time in
            EncodedPacket(
                bytes: SharedBytes(frame), presentation: time.pts ?? 0, decode: time.dts ?? 0,
                duration: 3000,
                isKey: time.flags?.hasPrefix("K") == true)
        }
        return Clip(
            parameters: StreamParameters(
                codec: .h264, timeScale: 90_000, setup: [UInt8](frames[0]), size: size, rate: FrameRate(30),
                color: .bt709Limited),
            packets: packets, frames: try Probe.decodedFrames(path),
            reference: try Data(contentsOf: URL(filePath: path)))
    }

    /// Two seconds of JPEG frames at 29.97 frames per second.
    static let photographs = Result {
        let folder = try Folder()
        let path = folder.file("clip.mkv")
        try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "testsrc2=size=64x48:rate=30000/1001:duration=2,noise=c0s=12:c0f=t", "-c:v",
                "mjpeg",
                "-pix_fmt", "yuvj422p", path,
            ])
        let stream = try Program.run(
            "ffmpeg", ["-v", "error", "-i", path, "-c", "copy", "-f", "image2pipe", "-"])
        let frames = stream.split(before: Data([0xFF, 0xD8, 0xFF]))
        return Clip(
            parameters: StreamParameters(
                codec: .mjpeg, timeScale: 30_000, size: size, rate: FrameRate(30_000, per: 1001), color: .jpeg
            ),
            packets: frames.enumerated().map { index, frame in
                let time = Int64(index) * 1001
                return EncodedPacket(
                    bytes: SharedBytes(frame), presentation: time, decode: time, duration: 1001, isKey: true
                )
            },
            frames: try Probe.decodedFrames(path), reference: try Data(contentsOf: URL(filePath: path)))
    }

    /// Just over three seconds of mono AAC: 144,480 samples after 1024 samples of priming.
    static let tone = Result {
        let folder = try Folder()
        let path = folder.file("clip.aac")
        try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "aevalsrc=0.3*sin(2*PI*(300+400*t)*t):s=48000:d=3.01",
                "-c:a", "aac",
                path,
            ])
        let stream = try Data(contentsOf: URL(filePath: path))
        var packets: [EncodedPacket] = []
        var place = stream.startIndex
        while place + 7 < stream.endIndex {
            // According to ISO/IEC 14496-3, 1.A.2.2, an ADTS header contains a 13-bit length that includes
            // the 7 bytes of the header.
            let length =
                Int(stream[place + 3] & 3) << 11 | Int(stream[place + 4]) << 3 | Int(stream[place + 5]) >> 5
            let time = Int64(packets.count) * 1024 - 1024
            packets.append(
                EncodedPacket(
                    bytes: SharedBytes(stream[(place + 7)..<(place + length)]), presentation: time,
                    decode: time,
                    duration: 1024, isKey: true))
            place += length
        }
        return Clip(
            parameters: StreamParameters(
                codec: .aac, timeScale: 48_000, setup: [0x11, 0x88],
                audio: AudioFormat(rate: 48_000, channels: 1), priming: 1024),
            packets: packets, frames: try Probe.decodedFrames(path, stream: "a:0"), reference: stream)
    }
}

extension Data {
    /// Splits the data before each occurrence of a pattern. The first piece starts at the first occurrence.
    func split(before pattern: Data) -> [Data] {
        var pieces: [Data] = []
        guard var start = range(of: pattern)?.lowerBound else { return [] }
        while let next = range(of: pattern, in: (start + pattern.count)..<endIndex)?.lowerBound {
            pieces.append(Data(self[start..<next]))
            start = next
        }
        pieces.append(Data(self[start...]))
        return pieces
    }
}
