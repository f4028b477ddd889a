import Foundation

/// ffprobe's description of a file.
struct Probe: Decodable {
    struct Stream: Decodable {
        struct SideData: Decodable {
            let rotation: Int?
        }

        let index: Int
        let codec_name: String?
        let codec_type: String?
        let codec_tag_string: String?
        let time_base: String?
        let start_time: String?
        let duration: String?
        let nb_frames: String?
        let nb_read_packets: String?
        let sample_rate: String?
        let channels: Int?
        let color_range: String?
        let color_space: String?
        let color_transfer: String?
        let color_primaries: String?
        let sample_aspect_ratio: String?
        let field_order: String?
        let tags: [String: String]?
        let side_data_list: [SideData]?

        var startSeconds: Double? { start_time.flatMap { Double($0) } }
        var durationSeconds: Double? { duration.flatMap { Double($0) } }
        var packetCount: Int? { nb_read_packets.flatMap { Int($0) } }
        var rotation: Int? { side_data_list?.lazy.compactMap(\.rotation).first }
    }

    struct Format: Decodable {
        let duration: String?
        let tags: [String: String]?
    }

    struct Packet: Decodable, Equatable {
        let pts: Int64?
        let dts: Int64?
        let flags: String?
    }

    let streams: [Stream]
    let format: Format

    init(_ path: String) throws {
        let output = try Program.run(
            "ffprobe",
            ["-v", "error", "-count_packets", "-show_streams", "-show_format", "-of", "json", path])
        self = try JSONDecoder().decode(Self.self, from: output)
    }

    /// Returns the duration in seconds from the file's header, without reading further.
    static func duration(_ path: String) throws -> Double? {
        let output = try Program.run(
            "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
        return Double(String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Returns the packets of a stream in file order.
    static func packets(_ path: String, stream: String) throws -> [Packet] {
        struct Packets: Decodable {
            let packets: [Packet]
        }
        let output = try Program.run(
            "ffprobe", ["-v", "error", "-select_streams", stream, "-show_packets", "-of", "json", path])
        return try JSONDecoder().decode(Packets.self, from: output).packets
    }

    /// Returns the MD5 of each decoded frame or audio slice, in presentation order.
    static func decodedFrames(_ path: String, stream: String = "v:0", mayFail: Bool = false) throws
        -> [String]
    {
        let output = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-noautorotate", "-i", path, "-map", "0:\(stream)", "-fps_mode", "passthrough",
                "-f",
                "framemd5", "-",
            ], mayFail: mayFail)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } }
    }
}
