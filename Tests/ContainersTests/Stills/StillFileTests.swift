import Foundation
import MulticamMedia
import Testing

@testable import MulticamContainers

@Suite("Still image files")
struct StillFileTests {
    /// A 64×48 JPEG from ffmpeg, with the standard Huffman tables by default.
    private static func jpeg(_ folder: Folder, _ options: [String] = ["-huffman", "default"]) throws
        -> SharedBytes
    {
        let path = folder.file("source.jpg")
        try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=1", "-frames:v", "1",
                "-pix_fmt", "yuvj422p",
            ]
                + options + [path])
        return SharedBytes(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static func facts(rotation: Rotation = .none, isMirrored: Bool = false) throws -> ExifMetadata {
        ExifMetadata(
            // The date is 2026-11-21 14:23:10.123 in Berlin.
            date: Date(timeIntervalSince1970: 1_795_267_390.1235),
            secondsFromGMT: 3600,
            size: FrameSize(width: 64, height: 48), rotation: rotation, isMirrored: isMirrored,
            make: "Maker & Söhne",
            model: "Studio Webcam", software: "multicam 0.1.0", imageDescription: "desk",
            exposureTime: .milliseconds(4), isExposureAutomatic: false, isWhiteBalanceAutomatic: true)
    }

    /// Returns the tags that exiftool reads from a file.
    private static func read(_ path: String) throws -> [String: String] {
        let output = try Program.run("exiftool", ["-j", "-G1", "-n", "-validate", "-all", path])
        let list = try JSONSerialization.jsonObject(with: output) as? [[String: Any]]
        return (list?.first ?? [:]).mapValues { "\($0)" }
    }

    private static func decoded(_ path: String) throws -> Data {
        try Program.run(
            "ffmpeg",
            ["-v", "error", "-noautorotate", "-i", path, "-f", "rawvideo", "-pix_fmt", "yuvj422p", "-"])
    }

    @Test("exiftool reads every tag and reports no errors")
    func exif() throws {
        let folder = try Folder()
        let path = folder.file("still.jpg")
        try StillFile.write(try Self.jpeg(folder), try Self.facts(), to: path)
        let tags = try Self.read(path)
        let expected = [
            "IFD0:Make": "Maker & S?hne", "IFD0:Model": "Studio Webcam", "IFD0:Orientation": "1",
            "IFD0:Software": "multicam 0.1.0", "IFD0:ImageDescription": "desk",
            "IFD0:ModifyDate": "2026:11:21 14:23:10", "ExifIFD:DateTimeOriginal": "2026:11:21 14:23:10",
            "ExifIFD:CreateDate": "2026:11:21 14:23:10", "ExifIFD:OffsetTime": "+01:00",
            "ExifIFD:OffsetTimeOriginal": "+01:00", "ExifIFD:SubSecTimeOriginal": "123",
            "ExifIFD:ExposureTime": "0.004", "ExifIFD:ExposureMode": "1", "ExifIFD:WhiteBalance": "0",
            "ExifIFD:ExifImageWidth": "64", "ExifIFD:ExifImageHeight": "48", "ExifIFD:ColorSpace": "1",
            "ExifTool:Validate": "0 0 0",
        ]
        for (tag, value) in expected { #expect(tags[tag] == value, "\(tag)") }
    }

    @Test(
        "the orientation tag reverts rotation and mirroring, in exiftool's terms",
        arguments: [
            (Rotation.none, false, "Horizontal (normal)"), (.quarter, false, "Rotate 90 CW"),
            (.half, false, "Rotate 180"),
            (.threeQuarters, false, "Rotate 270 CW"), (.none, true, "Mirror horizontal"),
            (.half, true, "Mirror vertical"),
        ])
    func orientation(rotation: Rotation, isMirrored: Bool, words: String) throws {
        let folder = try Folder()
        let path = folder.file("still.jpg")
        try StillFile.write(
            try Self.jpeg(folder), try Self.facts(rotation: rotation, isMirrored: isMirrored), to: path)
        let output = try Program.run("exiftool", ["-s3", "-Orientation", path])
        #expect(String(decoding: output, as: UTF8.self) == words + "\n")
    }

    /// Compares the corners' luma of a frame with four gray quarters after the orientation is applied.
    @Test(
        "a rotated and mirrored still is upright in a viewer that applies the orientation",
        arguments: [
            (Rotation.quarter, true), (.threeQuarters, true), (.quarter, false),
        ])
    func transposed(rotation: Rotation, isMirrored: Bool) throws {
        let folder = try Folder()
        // The luma of the upright frame is 0 at the top left, 80 at the top right, 160 at the bottom left,
        // and 240 at the bottom right. The frame is stored in the camera's orientation.
        let turns: [Rotation: String] = [.quarter: "transpose=cclock", .threeQuarters: "transpose=clock"]
        let mirror = isMirrored ? "hflip," : ""
        let stored = folder.file("stored.jpg")
        try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "color=black:size=64x64,format=gray,geq=lum='80*gt(X,31)+160*gt(Y,31)'",
                "-frames:v", "1", "-vf", "\(mirror)\(turns[rotation] ?? "null"),format=yuvj422p", "-q:v", "2",
                stored,
            ])
        let path = folder.file("still.jpg")
        let bytes = SharedBytes(try Data(contentsOf: URL(fileURLWithPath: stored)))
        try StillFile.write(bytes, try Self.facts(rotation: rotation, isMirrored: isMirrored), to: path)
        let seen = try Self.upright(path)
        let corners = [(8, 8), (55, 8), (8, 55), (55, 55)].map { Int(seen[$0.1 * 64 + $0.0]) }
        for (found, wanted) in zip(corners, [0, 80, 160, 240]) {
            #expect(abs(found - wanted) < 12, "\(corners)")
        }
    }

    /// Returns the luma of a square frame after it was transformed according to the orientation that exiftool
    /// reads.
    private static func upright(_ path: String) throws -> [UInt8] {
        let words = try Program.run("exiftool", ["-s3", "-n", "-Orientation", path])
        // Exif 2.32, section 4.6.4.A, defines the transformation from the stored frame to an upright one.
        let filters = [
            "1": "null", "2": "hflip", "3": "hflip,vflip", "4": "vflip", "5": "transpose=cclock_flip",
            "6": "transpose=clock", "7": "transpose=clock_flip", "8": "transpose=cclock",
        ]
        let filter = filters[
            String(decoding: words, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)]
        return Array(
            try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-noautorotate", "-i", path, "-vf", "\(filter ?? "")", "-f", "rawvideo",
                    "-pix_fmt",
                    "gray", "-",
                ]))
    }

    @Test("the coded scan matches the camera's byte for byte")
    func untouched() throws {
        let folder = try Folder()
        let source = try Self.jpeg(folder)
        let path = folder.file("still.jpg")
        try StillFile.write(source, try Self.facts(), to: path)
        let written = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let headers = try #require(JPEGHeaders(source.bytes))
        let scan = Array(source.bytes[headers.scan...])
        #expect(Array(written.suffix(scan.count)) == scan)
        #expect(try Self.decoded(path) == Self.decoded(folder.file("source.jpg")))
    }

    @Test("a JPEG without Huffman tables, as allowed in Motion JPEG, becomes a standard JPEG file")
    func tables() throws {
        let folder = try Folder()
        let source = try Self.jpeg(folder)
        let headers = try #require(JPEGHeaders(source.bytes))
        #expect(headers.hasHuffmanTables)
        var bare: [UInt8] = [0xFF, 0xD8]
        for segment in headers.segments where source.bytes[segment.lowerBound + 1] != 0xC4 {
            bare += source.bytes[segment]
        }
        // Some cameras also omit the end marker.
        bare += source.bytes[headers.scan..<headers.end - 2]
        let shared = SharedBytes(bare)
        #expect(JPEGHeaders(shared.bytes)?.hasHuffmanTables == false)
        let path = folder.file("still.jpg")
        try StillFile.write(shared, try Self.facts(), to: path)
        let written = SharedBytes(try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(JPEGHeaders(written.bytes)?.hasHuffmanTables == true)
        #expect(JPEGHeaders(written.bytes)?.hasEnd == true)
        // ffmpeg has built-in tables, so this verifies only that the added tables match them.
        #expect(try Self.decoded(path) == Self.decoded(folder.file("source.jpg")))
    }

    @Test("the camera's Exif segment and JFIF header are replaced, and its other segments are kept")
    func segments() throws {
        let folder = try Folder()
        let source = try Self.jpeg(folder)
        let comment: [UInt8] = [0xFF, 0xFE, 0, 6] + Array("keep".utf8)
        let old: [UInt8] = [0xFF, 0xE1, 0, 10] + Array("Exif".utf8) + [0, 0, 1, 2]
        let bytes = SharedBytes([0xFF, 0xD8] + old + comment + Array(source.bytes.dropFirst(2)))
        let path = folder.file("still.jpg")
        try StillFile.write(bytes, try Self.facts(), to: path)
        let tags = try Self.read(path)
        #expect(tags["File:Comment"] == "keep")
        #expect(tags["IFD0:Model"] == "Studio Webcam")
        #expect(tags["ExifTool:Validate"] == "0 0 0")
        #expect(tags["JFIF:JFIFVersion"] == nil)
    }

    @Test("data after the end of the camera's frame is excluded")
    func trailing() throws {
        let folder = try Folder()
        let source = try Self.jpeg(folder)
        let bytes = SharedBytes(Array(source.bytes) + Array(repeating: 0, count: 1000))
        let pieces = try #require(StillFile.pieces(of: bytes, try Self.facts()))
        #expect(pieces.last?.bytes.suffix(2).elementsEqual([0xFF, 0xD9]) == true)
    }

    @Test("invalid data is rejected with one sentence, and an existing file is not overwritten")
    func refusals() throws {
        let folder = try Folder()
        let path = folder.file("still.jpg")
        for rubbish in [[], [0xFF], [0xFF, 0xD8, 0xFF], [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 1]] as [[UInt8]]
        {
            let error = #expect(throws: FileError.self) {
                try StillFile.write(SharedBytes(rubbish), try Self.facts(), to: path)
            }
            #expect(error?.description.contains("not a readable JPEG") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let source = try Self.jpeg(folder)
        let error = #expect(throws: FileError.self) {
            try StillFile.write(source, try Self.facts(), to: path)
        }
        #expect(error?.description.contains("already exists") == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test(
        "an exposure time is written as a photographic fraction if possible",
        arguments: [
            (Nanoseconds.milliseconds(4), "1/250"), (.microseconds(16_600), "1/60"),
            (.milliseconds(33), "0.033"),
            (.seconds(2), "2"), (.milliseconds(500), "0.5"),
        ])
    func exposure(time: Nanoseconds, words: String) throws {
        let folder = try Folder()
        let path = folder.file("still.jpg")
        var facts = try Self.facts()
        facts.exposureTime = time
        try StillFile.write(try Self.jpeg(folder), facts, to: path)
        let output = String(
            decoding: try Program.run("exiftool", ["-s3", "-n", "-ExposureTime", path]), as: UTF8.self)
        let read = try #require(Double(output.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(abs(read / time.inSeconds - 1) < 0.01)
        if words.contains("/") {
            #expect(
                String(decoding: try Program.run("exiftool", ["-s3", "-ExposureTime", path]), as: UTF8.self)
                    == words + "\n")
        }
    }
}
