import Foundation
import Media
import Testing

@testable import Publishing

@Suite("What a WHIP server answers")
struct WHIPAnswerTests {
    private func endpoint(_ text: String = "whip+https://host:8443/live/room?key=word") throws -> WHIPEndpoint
    {
        try WHIPEndpoint(try DestinationAddress(text))
    }

    private static let description = """
        v=0\r
        o=- 1 0 IN IP4 127.0.0.1\r
        s=-\r
        t=0 0\r
        a=ice-ufrag:abcd\r
        a=ice-pwd:0123456789012345678901\r
        a=fingerprint:sha-256 00:11\r
        m=video 9 UDP/TLS/RTP/SAVPF 96\r
        a=recvonly\r
        m=audio 9 UDP/TLS/RTP/SAVPF 97\r
        a=recvonly\r

        """

    private func accepted(
        location: String? = "/resource/1", type: String? = "application/sdp", body: String = description
    ) -> HTTPReply {
        HTTPReply(status: 201, location: location, contentType: type, body: Array(body.utf8))
    }

    @Test("an answer with a description is taken, and its resource is found relative to the address")
    func taken() throws {
        for (location, url) in [
            ("/resource/1", "https://host:8443/resource/1"), ("1?x=y", "https://host:8443/live/1?x=y"),
            ("https://other/2", "https://other/2"),
        ] {
            let reply = accepted(location: location)
            guard case .accepted(let description) = try WHIPAnswer(reply, of: endpoint()) else {
                Issue.record("it is not taken")
                continue
            }
            #expect(description.text == Self.description)
            #expect(WHIPAnswer.resource(in: reply, of: try endpoint())?.url.absoluteString == url)
        }
    }

    @Test(
        "a resource that would give the token away, or is no address, is not used; the stream is",
        arguments: [
            "http://host:8443/resource/1", "file:///etc/passwd", "http://", "https://u:p@host/1", nil,
        ])
    func resources(location: String?) throws {
        let reply = accepted(location: location)
        #expect(WHIPAnswer.resource(in: reply, of: try endpoint()) == nil)
        guard case .accepted = try WHIPAnswer(reply, of: endpoint()) else {
            Issue.record("it is not taken")
            return
        }
    }

    @Test(
        "what a person has to change is refused, and what may be different next time is tried again",
        arguments: [
            (401, PublishingError.Kind.refused, "token"), (403, .refused, "token"), (404, .refused, "path"),
            (410, .refused, "path"), (415, .refused, "H.264"), (422, .refused, "H.264"),
            (400, .refused, "HTTP 400"), (200, .refused, "HTTP 200"), (301, .refused, "HTTP 301"),
            (302, .refused, "HTTP 302"), (0, .refused, "HTTP 0"),
            (408, .lost, "HTTP 408"), (409, .lost, "HTTP 409"), (429, .lost, "HTTP 429"),
            (500, .lost, "HTTP 500"), (503, .lost, "HTTP 503"),
        ])
    func statuses(status: Int, kind: PublishingError.Kind, word: String) throws {
        let endpoint = try endpoint()
        let error = #expect(throws: PublishingError.self) {
            try WHIPAnswer(HTTPReply(status: status, body: Array("word".utf8)), of: endpoint)
        }
        let text = error?.description ?? ""
        #expect(error?.kind == kind)
        #expect(text.contains("https://host:8443") && text.contains(word) && text.hasSuffix("."), "\(text)")
        #expect(!text.contains("room") && !text.contains("key"), "\(text)")
    }

    @Test("redirections are followed to addresses with TLS only")
    func redirections() throws {
        let plain = try endpoint("whip+http://host/live")
        let encrypted = try endpoint()
        for status in [307, 308] {
            let reply = HTTPReply(status: status, location: "https://other:444/x")
            guard case .elsewhere(let other) = try WHIPAnswer(reply, of: plain) else {
                Issue.record("\(status)")
                continue
            }
            #expect(other.url.absoluteString == "https://other:444/x")
            #expect(other.place.hasSuffix("other:444"))
        }
        for (from, location) in [
            (plain, "/elsewhere"), (plain, "http://other/x"), (encrypted, "http://other/x"),
            (encrypted, "x:y"),
            (encrypted, nil),
        ] {
            let error = #expect(throws: PublishingError.self) {
                try WHIPAnswer(HTTPReply(status: 307, location: location), of: from)
            }
            #expect(error?.kind == .refused && error?.description.contains("TLS") == true)
        }
        guard
            case .elsewhere(let same) = try WHIPAnswer(HTTPReply(status: 307, location: "/b"), of: encrypted)
        else {
            Issue.record("a relative address keeps TLS")
            return
        }
        #expect(same.url.absoluteString == "https://host:8443/b")
    }

    @Test("a page, or nothing, in place of a description is refused", arguments: ["text/html", nil])
    func pages(type: String?) throws {
        let endpoint = try endpoint()
        let error = #expect(throws: PublishingError.self) {
            try WHIPAnswer(accepted(type: type), of: endpoint)
        }
        #expect(error?.kind == .refused)
    }

    @Test("an address's characters that no URL has are told, without the address")
    func address() throws {
        #expect(try endpoint("whip+http://[::1]:8889/a").url.absoluteString == "http://[::1]:8889/a")
        #expect(try endpoint("WHIP+HTTPS://host/a").isEncrypted)
    }
}
