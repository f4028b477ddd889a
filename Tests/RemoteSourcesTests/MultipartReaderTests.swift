import Media
import Testing

@testable import RemoteSources

@Suite("A multipart stream of JPEGs")
struct MultipartReaderTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9]
    private static let now = ClockTime(nanoseconds: 1_000_000_000)

    private func parts(
        _ text: String, body: [UInt8] = jpeg, end: String = "\r\n--frame\r\n", step: Int = 1
    ) throws -> [MultipartReader.Part] {
        var reader = MultipartReader(boundary: "frame")
        var parts: [MultipartReader.Part] = []
        let bytes = Array(text.utf8) + body + Array(end.utf8)
        for begin in stride(from: 0, to: bytes.count, by: step) {
            parts += try reader.take(bytes[begin..<min(begin + step, bytes.count)], at: Self.now)
        }
        return parts
    }

    @Test(
        "parts come whole with a length and without, however the bytes are divided",
        arguments: [1, 2, 7, 1000])
    func whole(step: Int) throws {
        for header in [
            "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 7\r\n\r\n",
            "--frame\r\nContent-Type: image/jpeg\r\n\r\n", "\r\n--frame\ncontent-length:7\n\n",
        ] {
            #expect(try parts(header, step: step).map(\.bytes) == [Self.jpeg])
        }
    }

    @Test("the camera's wall clock is read where it says it")
    func wall() throws {
        let part = try #require(try parts("--frame\r\nX-Timestamp: 1700000000.250000\r\n\r\n").first)
        let wall = try #require(part.wall)
        #expect((wall - .milliseconds(1_700_000_000_250)).magnitude < .microseconds(1))
        #expect(try parts("--frame\r\nX-Timestamp: nan\r\n\r\n").first?.wall == nil)
    }

    @Test("what follows the image, as some cameras leave it, is cut off, and what is no image is no part")
    func tail() throws {
        #expect(try parts("--frame\r\n\r\n", body: Self.jpeg + [0, 0, 13, 10]).map(\.bytes) == [Self.jpeg])
        #expect(try parts("--frame\r\n\r\n", body: [1, 2, 3]).isEmpty)
    }

    @Test("a header without an end, and a length that no camera has, are refused")
    func faults() {
        #expect(throws: MultipartReader.Fault.header) {
            try parts("--frame\r\n" + String(repeating: "a: b\r\n", count: 5000), step: 100)
        }
        #expect(throws: MultipartReader.Fault.size) {
            try parts("--frame\r\nContent-Length: 99999999999\r\n\r\n")
        }
        #expect(throws: MultipartReader.Fault.size) { try parts("--frame\r\nContent-Length: 0\r\n\r\n") }
    }

    @Test("the boundary is found in the content type as cameras write it")
    func boundary() {
        for type in [
            "multipart/x-mixed-replace; boundary=frame", "multipart/x-mixed-replace;boundary=\"--frame\"",
            "Multipart/X-Mixed-Replace; charset=x; Boundary=frame",
        ] {
            #expect(MultipartReader.boundary(of: type).map { $0.filter { $0 != "-" } } == "frame")
        }
        for type in ["image/jpeg", "", "multipart/x-mixed-replace", "multipart/mixed; boundary=--"] {
            #expect(MultipartReader.boundary(of: type) == nil)
        }
    }
}
