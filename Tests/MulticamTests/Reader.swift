import Foundation
import MulticamMedia
import MulticamVirtualDevices
import Testing

/// Reads written files with ffprobe and ffmpeg, independently of our writer.
enum Reader {
    struct Stream: Decodable {
        struct SideData: Decodable { let rotation: Int? }
        let codec_type: String
        let codec_name: String?
        let width: Int?
        let height: Int?
        let pix_fmt: String?
        let color_range: String?
        let color_space: String?
        let color_primaries: String?
        let color_transfer: String?
        let r_frame_rate: String?
        let tags: [String: String]?
        let sample_rate: String?
        let channels: Int?
        let start_time: String
        let duration: String
        let nb_read_frames: String?
        let side_data_list: [SideData]?

        var frameCount: Int? { nb_read_frames.flatMap { Int($0) } }
        var start: Double? { Double(start_time) }
        var seconds: Double? { Double(duration) }
        var rotation: Int? { side_data_list?.compactMap(\.rotation).first }
    }

    private struct Streams: Decodable { let streams: [Stream] }

    /// Returns the video and audio streams. Time code streams are a third kind.
    static func streams(_ path: String, kinds: Set<String> = ["video", "audio"]) throws -> [Stream] {
        let output = try run(
            "ffprobe", ["-v", "error", "-count_frames", "-show_streams", "-of", "json", path])
        return try JSONDecoder().decode(Streams.self, from: output).streams.filter {
            kinds.contains($0.codec_type)
        }
    }

    /// Returns the code strip of each decoded frame, or `nil` if it can't be read. `size` is the size of a
    /// decoded frame, which is upright if ffmpeg rotates it. `part` is the area of the frame that shows the
    /// camera; `nil` means the whole frame.
    static func strips(
        _ path: String, size: FrameSize, part: PixelRectangle? = nil, stream: Int = 0, turned: Bool = true
    ) throws -> [CodeStrip?] {
        let frames = try luma(path, stream: stream, turned: turned)
        let part = part ?? PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
        return stride(from: 0, to: frames.count, by: size.pixelCount).map { start in
            frames.withUnsafeBytes { bytes -> CodeStrip? in
                let luma = bytes.bindMemory(to: UInt8.self)
                guard let base = luma.baseAddress else { return nil }
                return CodeStrip(
                    luma: base + start + part.y * size.width + part.x, rowStep: size.width, size: part.size)
            }
        }
    }

    /// Returns the mean luma of an area in each frame. This identifies white frames.
    static func brightness(_ path: String, size: FrameSize, part: PixelRectangle) throws -> [Double] {
        let frames = [UInt8](try luma(path, stream: 0, turned: true))
        return stride(from: 0, to: frames.count, by: size.pixelCount).map { start in
            var sum = 0
            for row in stride(from: part.y, to: part.y + part.height, by: 4) {
                for column in stride(from: part.x, to: part.x + part.width, by: 4) {
                    sum += Int(frames[start + row * size.width + column])
                }
            }
            return Double(sum) / Double((part.height + 3) / 4 * ((part.width + 3) / 4))
        }
    }

    /// Returns a stream's audio as mono 32-bit floats at 48 kHz.
    static func audio(_ path: String) throws -> [Float] {
        let data = try run(
            "ffmpeg", ["-v", "error", "-i", path, "-vn", "-ac", "1", "-ar", "48000", "-f", "f32le", "-"])
        return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// Returns the sample position of the start of each beep.
    static func onsets(_ samples: [Float]) -> [Int] {
        var onsets: [Int] = []
        var last = -48_000
        for (index, sample) in samples.enumerated() where abs(sample) > 0.02 {
            if index - last > 12_000 { onsets.append(index) }
            last = index
        }
        return onsets
    }

    /// Returns the presentation time of each frame of the first video stream, in seconds, in presentation
    /// order.
    static func times(_ path: String) throws -> [Double] {
        let output = try run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time",
                "-of", "csv=p=0", path,
            ])
        return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap {
            Double($0.split(separator: ",").first ?? "")
        }
    }

    /// Returns the SHA-256 of each packet of a stream.
    static func packetHashes(_ path: String) throws -> [String] {
        let output = try run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v:0", "-show_packets", "-show_data_hash", "SHA256",
                "-show_entries",
                "packet=data_hash", "-of", "csv=p=0", path,
            ])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map {
            $0.trimmingCharacters(in: CharacterSet(charactersIn: ", \r")).replacingOccurrences(
                of: "SHA256:", with: "")
        }
    }

    /// Returns the stream, times, flags, and content hash of each packet. The result is sorted, because the
    /// interleaving of streams in a file depends on thread timing.
    static func packets(_ path: String) throws -> [String] {
        let output = try run(
            "ffprobe",
            [
                "-v", "error", "-show_packets", "-show_data_hash", "SHA256", "-show_entries",
                "packet=stream_index,pts,dts,duration,flags,data_hash", "-of", "csv=p=0", path,
            ])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init).sorted()
    }

    @discardableResult
    static func run(_ program: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(program) \(arguments) ended with \(process.terminationStatus)")
        }
        return data
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private static func luma(_ path: String, stream: Int, turned: Bool) throws -> Data {
        try run(
            "ffmpeg",
            ["-v", "error"] + (turned ? [] : ["-noautorotate"]) + [
                "-i", path, "-map", "0:v:\(stream)", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt",
                "gray",
                "-",
            ])
    }
}

/// Checks that a stream begins at T0 and has the expected length.
func expect(_ stream: Reader.Stream, lasts seconds: Double, within tolerance: Double) throws {
    let (start, length) = (try #require(stream.start), try #require(stream.seconds))
    #expect(abs(start) < 0.001)
    #expect(abs(length - seconds) <= tolerance)
}
