import MulticamMedia
import Testing

@testable import MulticamRemoteSources

@Suite("Multipart JPEG streams")
struct MultipartReaderTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9]
    private static let now = ClockTime(nanoseconds: 1_000_000_000)

    private func parts(
        _ text: String, body: [UInt8] = jpeg, end: String = "\r\n--frame\r\n", boundary: String? = "frame",
        step: Int = 1
    ) throws -> [MultipartReader.Part] {
        var reader = MultipartReader(boundary: boundary)
        var parts: [MultipartReader.Part] = []
        let bytes = Array(text.utf8) + body + Array(end.utf8)
        for begin in stride(from: 0, to: bytes.count, by: step) {
            parts += try reader.parse(bytes[begin..<min(begin + step, bytes.count)], at: Self.now)
        }
        return parts
    }

    @Test(
        "parts with and without a length are complete, regardless of how the bytes are split",
        arguments: [1, 2, 7, 1000])
    func whole(step: Int) throws {
        for header in [
            "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 7\r\n\r\n",
            "--frame\r\nContent-Type: image/jpeg\r\n\r\n", "\r\n--frame\ncontent-length:7\n\n",
        ] {
            #expect(try parts(header, step: step).map(\.bytes) == [Self.jpeg])
        }
    }

    @Test("a part with a length is complete before the next delimiter arrives")
    func prompt() throws {
        #expect(try parts("--frame\r\nContent-Length: 7\r\n\r\n", end: "").map(\.bytes) == [Self.jpeg])
    }

    @Test("a wrong length or a length of 0 is ignored", arguments: [0, 1, 5, 6, 8, 9, 30], [1, 1000])
    func lengths(length: Int, step: Int) throws {
        let next = "\r\n--frame\r\nContent-Length: 7\r\n\r\n"
        let found = try parts("--frame\r\nContent-Length: \(length)\r\n\r\n", end: next, step: step)
        #expect(found.map(\.bytes) == [Self.jpeg])
    }

    @Test("the camera's wall-clock time is read from the header")
    func wall() throws {
        let part = try #require(try parts("--frame\r\nX-Timestamp: 1700000000.250000\r\n\r\n").first)
        let wall = try #require(part.wall)
        #expect((wall - .milliseconds(1_700_000_000_250)).magnitude < .microseconds(1))
        #expect(try parts("--frame\r\nX-Timestamp: nan\r\n\r\n").first?.wall == nil)
    }

    @Test(
        "padding after the image is removed, with and without a length",
        arguments: [[], [0, 0, 13, 10], Array(repeating: 0, count: 5000), [1, 2, 3, 13, 10, 0]] as [[UInt8]])
    func padding(padding: [UInt8]) throws {
        let body = Self.jpeg + padding
        for header in ["--frame\r\n\r\n", "--frame\r\nContent-Length: \(body.count)\r\n\r\n"] {
            #expect(try parts(header, body: body, step: 1000).map(\.bytes) == [Self.jpeg])
        }
    }

    @Test("an image without an end marker gets one when the next delimiter arrives")
    func endMarker() throws {
        let body = Array(Self.jpeg.dropLast(2))
        for header in ["--frame\r\n\r\n", "--frame\r\nContent-Length: \(body.count)\r\n\r\n"] {
            #expect(try parts(header, body: body).map(\.bytes) == [Self.jpeg])
            #expect(try parts(header, body: body, end: "").isEmpty)
        }
        #expect(try parts("--frame\r\n\r\n", body: [1, 2, 3, 4, 5, 6]).isEmpty)
    }

    @Test(
        "the delimiter is detected from the stream if the content type's boundary is missing or wrong",
        arguments: [nil, "other", "'frame'", "----frame"], [1, 3, 1000])
    func learned(boundary: String?, step: Int) throws {
        for beginning in [
            "--frame\r\n\r\n", "\r\n\r\n--frame \r\n\r\n", "----frame\r\nContent-Length: 7\r\n\r\n",
        ] {
            let end = beginning.hasPrefix("----") ? "\r\n----frame\r\n" : "\r\n--frame\r\n"
            let found = try parts(beginning, end: end, boundary: boundary, step: step)
            #expect(found.map(\.bytes) == [Self.jpeg], "\(beginning)")
        }
    }

    @Test(
        "a preamble or a first part without a delimiter is skipped if the content type specifies the boundary"
    )
    func preamble() throws {
        let part = "--frame\r\n\r\n"
        for beginning in [
            "This is MIME.\r\n", "Content-Type: image/jpeg\r\n\r\nabc\r\n",
            String(repeating: "x", count: 9000),
        ] {
            #expect(try parts(beginning + part).map(\.bytes) == [Self.jpeg])
        }
    }

    @Test("an endless header, an excessive length, and a stream that isn't multipart are rejected")
    func faults() {
        #expect(throws: MultipartReader.Fault.header) {
            try parts("--frame\r\n" + String(repeating: "a: b\r\n", count: 5000), step: 100)
        }
        #expect(throws: MultipartReader.Fault.size) {
            try parts("--frame\r\nContent-Length: 99999999999\r\n\r\n")
        }
        for text in ["<html>", "\u{0}", "-", "--" + String(repeating: "x", count: 9000)] {
            #expect(throws: MultipartReader.Fault.noDelimiter, "\(text.prefix(10))") {
                try parts(text, boundary: nil)
            }
        }
    }

    @Test("the boundary is found in all notations that cameras use")
    func boundary() {
        for (type, boundary) in [
            ("multipart/x-mixed-replace; boundary=frame", "frame"),
            ("multipart/x-mixed-replace;boundary=\"--frame\"", "--frame"),
            ("Multipart/X-Mixed-Replace; charset=x; Boundary=frame", "frame"),
            ("multipart/x-mixed-replace ; boundary = frame ", "frame"),
            ("multipart/x-mixed-replace; boundary=\"fr ame\"; charset=x", "fr ame"),
            ("multipart/x-mixed-replace; x=\"a;boundary=no\"; boundary=\"fr;ame\"", "fr;ame"),
            ("multipart/x-mixed-replace; x; boundary=a b", "a b"),
        ] {
            #expect(MultipartReader.boundary(of: type) == boundary, "\(type)")
        }
        for type in [
            "image/jpeg", "", "multipart/x-mixed-replace", "multipart/mixed; boundary=--", ";;=",
            "a;boundary=\"",
        ] {
            #expect(MultipartReader.boundary(of: type) == nil, "\(type)")
        }
    }

    @Test("other content types are rejected")
    func types() {
        for type in ["", "multipart/x-mixed-replace", "Application/Octet-Stream; x=y"] {
            #expect(MultipartReader.canRead(type))
        }
        for type in ["text/html", "image/jpeg", "video/mp4"] { #expect(!MultipartReader.canRead(type)) }
    }
}
