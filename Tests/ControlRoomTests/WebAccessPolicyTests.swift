import MulticamStudio
import Testing

@testable import MulticamControlRoom

@Suite("Access control of the control room")
struct WebAccessPolicyTests {
    private let token = AccessToken.random()
    private let readToken = AccessToken.random()

    private var webGuard: WebAccessPolicy {
        var guardian = WebAccessPolicy(
            token: token, readToken: readToken, phoneToken: .random(), isEncrypted: false)
        guardian.port = 8470
        return guardian
    }

    private func head(_ method: String, _ path: String, origin: String? = nil) -> RequestHead {
        RequestHead(method: method, path: path, host: "127.0.0.1:8470", origin: origin)
    }

    @Test("the page is public and read-only")
    func page() {
        #expect(webGuard.refusal(of: head("GET", "/")) == nil)
        #expect(webGuard.refusal(of: head("GET", "/page/room.css")) == nil)
        #expect(webGuard.refusal(of: head("POST", "/"))?.status == 405)
    }

    @Test(
        "the API requires the token",
        arguments: ["/api/v1/status", "/api/v1/command", "/api/v1/program.jpg"])
    func token(path: String) {
        #expect(webGuard.refusal(of: head("GET", path))?.status == 401)
        var request = head("GET", path)
        request.authorization = "Bearer \(token.text)"
        #expect(webGuard.refusal(of: request) == nil)
        request.authorization = "Bearer \(AccessToken.random().text)"
        #expect(webGuard.refusal(of: request)?.status == 401)
        request.authorization = "Bearer "
        #expect(webGuard.refusal(of: request)?.status == 401)
        // The read-only token does not grant full access.
        request.authorization = "Bearer \(readToken.text)"
        #expect(webGuard.refusal(of: request)?.status == 401)
    }

    @Test("the cookie grants access only to the control room's pages")
    func cookie() {
        var request = head("POST", "/api/v1/command", origin: "http://127.0.0.1:8470")
        request.cookies = ["multicam-8470": token.text]
        #expect(webGuard.refusal(of: request) == nil)
        request.origin = "http://evil.example"
        #expect(webGuard.refusal(of: request)?.status == 403)
        request.origin = nil
        #expect(webGuard.refusal(of: request)?.status == 403)
        // A WebSocket is opened with GET and accepts no commands, but it reveals the complete state.
        request.path = WebServer.socketPath
        request.method = "GET"
        #expect(webGuard.refusal(of: request)?.status == 403)
        request.path = "/api/v1/status"
        #expect(webGuard.refusal(of: request) == nil)
        // The cookie of a control room at another port is not accepted.
        request.cookies = ["multicam-8471": token.text]
        #expect(webGuard.refusal(of: request)?.status == 401)
    }

    @Test(
        "the cookie is rejected for a page at another port of this host",
        arguments: [
            ("same-origin", nil), ("none", nil), (nil, nil), ("same-site", 403), ("cross-site", 403),
            ("", 403),
        ] as [(String?, Int?)])
    func neighbor(site: String?, status: Int?) {
        var request = head("GET", "/api/v1/recordings/x/program.mp4")
        request.cookies = ["multicam-8470": token.text]
        request.fetchSite = site
        #expect(webGuard.refusal(of: request)?.status == status)
        // A token in the URL grants access to any page.
        request.path = "/api/v1/program.jpg"
        request.query = ["token": readToken.text]
        #expect(webGuard.refusal(of: request) == nil)
        #expect(webGuard.headers["Cross-Origin-Resource-Policy"] == "same-origin")
    }

    @Test(
        "the read-only token grants read access to images and tally",
        arguments: [
            ("GET", "/api/v1/cameras/desk.jpg", true), ("GET", "/api/v1/program.mjpg", true),
            ("GET", "/api/v1/tally", true),
            ("GET", "/api/v1/status", false), ("POST", "/api/v1/command", false),
            ("GET", "/api/v1/socket", false),
            ("POST", "/api/v1/tally", false),
        ])
    func looking(method: String, path: String, mayPass: Bool) {
        var request = head(method, path)
        request.query = ["token": readToken.text]
        #expect((webGuard.refusal(of: request) == nil) == mayPass)
        request.query = ["token": "wrong"]
        #expect(webGuard.refusal(of: request)?.status == 401)
    }

    @Test(
        "only this machine's host names are accepted, to prevent DNS rebinding",
        arguments: [
            ("127.0.0.1:8470", true), ("localhost:8470", true), ("LOCALHOST:8470", true),
            ("[::1]:8470", true),
            ("192.168.1.20:8470", true), ("evil.example:8470", false), ("127.0.0.1.evil.example", false),
            ("", false),
            ("localhost:8470:1", false), ("a b", false),
        ])
    func host(name: String, isOurs: Bool) {
        var request = head("GET", "/")
        request.host = name
        #expect((webGuard.refusal(of: request) == nil) == isOurs)
        request.host = nil
        #expect(webGuard.refusal(of: request)?.status == 421)
    }

    @Test(
        "a request body must state its length, and is limited in size",
        arguments: [(nil, 411), ("x", 411), ("-1", 411), ("99999999", 413), ("20", nil)] as [(String?, Int?)])
    func length(said: String?, status: Int?) {
        var request = head("POST", "/api/v1/command")
        request.length = said
        #expect(webGuard.refusal(ofBodyOf: request)?.status == status)
    }

    @Test("tokens have 128 bits, are unique, and match only themselves")
    func tokens() {
        #expect(token.text.count == 22)
        #expect(token != readToken)
        #expect(token.matches(token.text))
        #expect(!token.matches(""))
        #expect(!token.matches(token.text + "A"))
    }
}
