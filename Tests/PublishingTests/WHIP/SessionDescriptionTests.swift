import Testing

@testable import MulticamPublishing

@Suite("Session descriptions in a server's answer")
struct SessionDescriptionTests {
    private let head = ["v=0", "s=-", "t=0 0"]
    private let keys = ["a=ice-ufrag:x", "a=ice-pwd:y", "a=fingerprint:sha-256 00"]
    private let video = ["m=video 9 UDP/TLS/RTP/SAVPF 96", "a=recvonly"]
    private let audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 97", "a=recvonly"]

    private func read(_ lines: [String], separator: String = "\r\n") throws(PublishingError)
        -> SessionDescription
    {
        try SessionDescription(
            Array((lines.joined(separator: separator) + separator).utf8), from: "https://host")
    }

    @Test(
        "accepts transport keys in the session or in its first section, and any line ending"
    )
    func taken() throws {
        #expect(try read(head + keys + video + audio).text.hasPrefix("v=0\r\ns=-\r\n"))
        #expect(try read(head + video + keys + audio, separator: "\n").text.contains("00\r\nm=audio"))
    }

    @Test("rejects an answer that declines video or audio")
    func declined() throws {
        for (lines, word) in [
            (head + keys + ["m=video 0 UDP/TLS/RTP/SAVPF 96"] + audio, "H.264"),
            (head + keys + video + ["m=audio 0 UDP/TLS/RTP/SAVPF 97"], "Opus"),
            (head + keys + ["m=video 9 UDP/TLS/RTP/SAVPF 96", "a=inactive"] + audio, "H.264"),
            (head + keys + ["m=video 9 UDP/TLS/RTP/SAVPF 96", "a=sendonly"] + audio, "H.264"),
        ] {
            let error = #expect(throws: PublishingError.self) { try read(lines) }
            #expect(error?.kind == .refused && error?.description.contains(word) == true)
        }
    }

    @Test("retries after an invalid description")
    func none() throws {
        let cases: [[String]] = [
            [], ["<html>"], head, head + keys + video, head + keys + audio + video,
            head + keys + video + audio + audio, head + video + audio, head + keys + ["m=video", "m=audio"],
            ["v=1"] + keys + video + audio,
        ]
        for lines in cases {
            let error = #expect(throws: PublishingError.self, "\(lines)") { try read(lines) }
            #expect(error?.kind == .lost)
        }
        let long = head + keys + video + audio + [String(repeating: "a", count: SessionDescription.maxBytes)]
        #expect(throws: PublishingError.self) { try read(long) }
        #expect(throws: PublishingError.self) { try read(head + keys + video + audio + ["a=\0"]) }
        #expect(throws: PublishingError.self) { try SessionDescription([0xff, 0xfe], from: "https://host") }
    }
}
