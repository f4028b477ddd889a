import Foundation
import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("Responses of WHIP servers")
struct WHIPAnswerTests {
    private func endpoint(_ text: String = "whip+https://host:8443/live/room?key=word") throws -> WHIPEndpoint
    {
        try WHIPEndpoint(try LiveOutputAddress(text))
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

    @Test("an answer with a session description is accepted, and its resource URL is resolved")
    func taken() throws {
        for (location, url) in [
            ("/resource/1", "https://host:8443/resource/1"), ("1?x=y", "https://host:8443/live/1?x=y"),
            ("HTTPS://HOST:8443/2", "https://host:8443/2"),
        ] {
            let reply = accepted(location: location)
            guard case .accepted(let description) = try WHIPAnswer(reply, of: endpoint()) else {
                Issue.record("it is not taken")
                continue
            }
            #expect(description.text == Self.description)
            #expect(
                WHIPAnswer.resource(in: reply, of: try endpoint())?.url.absoluteString.lowercased() == url)
        }
    }

    @Test(
        "requests and the token are not sent to a resource at another origin, but the stream is accepted",
        arguments: [
            "http://host:8443/resource/1", "https://other/2", "https://host/1", "https://host:8444/1",
            "//other:8443/1", "https://host.:8443/1", "https://host:8443@other/1", "file:///etc/passwd",
            "http://", "https://u:p@host/1", nil,
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
        "errors that need user action are refusals; temporary errors are retried",
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

    @Test(
        "a redirect is followed only within the same origin",
        arguments: [
            ("whip+http://host/live", "/b", "http://host/b"),
            ("whip+http://host/live", "http://HOST:80/b", "http://host/b"),
            ("whip+https://host:8443/live/room", "other?x=y", "https://host:8443/live/other?x=y"),
            ("whip+https://host/live", "https://host:443/b", "https://host/b"),
        ])
    func followed(address: String, location: String, url: String) throws {
        for status in [307, 308] {
            let reply = HTTPReply(status: status, location: location)
            guard case .redirected(let other) = try WHIPAnswer(reply, of: endpoint(address)) else {
                Issue.record("\(status)")
                continue
            }
            let text = other.url.absoluteString.lowercased()
            #expect(text.replacing(":80/", with: "/").replacing(":443/", with: "/") == url)
        }
    }

    @Test(
        "a redirect to another origin is rejected, because it would disclose the token",
        arguments: [
            ("whip+https://host/live", "https://other/live"), ("whip+https://host/live", "http://host/live"),
            ("whip+http://host/live", "https://host/live"),
            ("whip+https://host/live", "https://host:444/live"),
            ("whip+https://host/live", "//other/live"),
        ])
    func elsewhere(address: String, location: String) throws {
        for status in [307, 308] {
            let error = #expect(throws: PublishingError.self) {
                try WHIPAnswer(HTTPReply(status: status, location: location), of: endpoint(address))
            }
            #expect(error?.kind == .refused)
            #expect(error?.description.contains("another server") == true, "\(error?.description ?? "")")
        }
    }

    @Test("a redirect without a valid address is rejected", arguments: ["x:y", "file:///etc/passwd", nil])
    func invalid(location: String?) throws {
        let error = #expect(throws: PublishingError.self) {
            try WHIPAnswer(HTTPReply(status: 307, location: location), of: endpoint())
        }
        #expect(error?.kind == .refused && error?.description.contains("invalid address") == true)
    }

    @Test("a response that isn't marked as a session description is rejected", arguments: ["text/html", nil])
    func pages(type: String?) throws {
        let endpoint = try endpoint()
        let error = #expect(throws: PublishingError.self) {
            try WHIPAnswer(accepted(type: type), of: endpoint)
        }
        #expect(error?.kind == .refused)
    }

    @Test("addresses with an IPv6 host or an uppercase scheme are read")
    func address() throws {
        #expect(try endpoint("whip+http://[::1]:8889/a").url.absoluteString == "http://[::1]:8889/a")
        #expect(try endpoint("WHIP+HTTPS://host/a").url.host() == "host")
    }
}
