internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Studio

/// Decides who may ask the web process for what. A value: it looks at the headers only, before anything of a body is read.
struct WebGuard {
    /// Lets its bearer do everything.
    let token: AccessToken
    /// Lets its bearer look at pictures and tally.
    let readToken: AccessToken
    /// Lets a phone be a camera, and do nothing else.
    let phoneToken: AccessToken
    /// Whether connections are TLS.
    let isEncrypted: Bool
    /// The name of the cookie. It has the port's number, since a browser does not separate the cookies of two ports of a host.
    var cookieName: String { "multicam-\(port)" }
    /// The port that is listened at; known once it is.
    var port = 0

    /// Looks at a request.
    ///
    /// - Returns: The answer that refuses it, or `nil` when it may be asked.
    func refusal(of request: RequestHead) -> WebAnswer? {
        guard let host = request.host, isOurs(host) else {
            return WebAnswer(
                421,
                saying:
                    "This control room is not served under that name: use the address that `multicam studio` printed."
            )
        }
        let origin = request.origin
        let ownOrigin = "\(isEncrypted ? "https" : "http")://\(host)"
        if let origin, origin.lowercased() != ownOrigin.lowercased() {
            return WebAnswer(403, saying: "Pages of other origins may not ask this control room.")
        }
        // libsoup gives the socket's handler whatever begins like its path, also when it is spelled otherwise.
        let sockets = [WebServer.socketPath, WebServer.phonePath]
        let isSocket = sockets.contains(request.path)
        guard isSocket || (!request.isUpgrade && !sockets.contains { request.path.hasPrefix($0) }) else {
            return WebAnswer(404, saying: "Nothing is at this address.")
        }
        if request.path == WebServer.phonePath { return refusal(ofPhone: request) }
        guard request.path.hasPrefix("/api/") else {
            return ["GET", "HEAD"].contains(request.method)
                ? nil : WebAnswer(405, saying: "Only GET is answered here.")
        }
        if let bearer = bearer(of: request) {
            return token.matches(bearer) ? nil : unknown
        }
        let hasCookie = request.cookies[cookieName].map { token.matches($0) } ?? false
        // A browser sends the cookie whoever asks, also for pages at other ports of this host. That a page of ours asks is known by what the browser says.
        let isOwnPage = request.fetchSite.map { ["same-origin", "none"].contains($0.lowercased()) } ?? true
        if hasCookie, isOwnPage {
            let changes = request.method != "GET" || request.path == WebServer.socketPath
            return changes && origin == nil
                ? WebAnswer(403, saying: "The request does not say its origin.") : nil
        }
        if let candidate = request.query["token"], request.method == "GET", Self.isPicture(request.path) {
            return token.matches(candidate) || readToken.matches(candidate) ? nil : unknown
        }
        return hasCookie
            ? WebAnswer(403, saying: "Pages at other addresses may not ask this control room.") : unknown
    }

    /// Looks at a phone that wants to be a camera. A page of ours asks for it, which its browser says, with the token that its link had.
    private func refusal(ofPhone request: RequestHead) -> WebAnswer? {
        guard request.origin != nil else {
            return WebAnswer(403, saying: "The request does not say its origin.")
        }
        guard phoneToken.matches(request.query["token"] ?? "") else {
            return WebAnswer(
                401, saying: "This link is no longer valid: scan the code of “Add a phone” again.")
        }
        return request.isUpgrade && request.method == "GET"
            ? nil : WebAnswer(404, saying: "Nothing is at this address.")
    }

    /// Looks at what a request is going to send.
    ///
    /// - Returns: The answer that refuses it, or `nil` when its body may be read.
    func refusal(ofBodyOf request: RequestHead) -> WebAnswer? {
        guard !request.isChunked else { return WebAnswer(411, saying: "The request has no Content-Length.") }
        if ["GET", "HEAD"].contains(request.method) {
            return request.length.map { Int($0) == 0 } ?? true
                ? nil : WebAnswer(400, saying: "A request to look at something has no body.")
        }
        guard let length = request.length.flatMap({ Int($0) }), length >= 0 else {
            return WebAnswer(411, saying: "The request has no Content-Length.")
        }
        return length > Self.longestBody
            ? WebAnswer(413, saying: "The request is longer than \(Self.longestBody) bytes.") : nil
    }

    private static let longestBody = 1 << 18

    private var unknown: WebAnswer {
        WebAnswer(
            401,
            saying:
                "This needs the token: open the link that `multicam studio` printed, or send it as `Authorization: Bearer`."
        )
    }

    private func bearer(of request: RequestHead) -> String? {
        guard let text = request.authorization, text.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return text.dropFirst("bearer ".count).trimmed
    }

    /// Whether a path is one that the token for looking opens: what is seen now, and nothing that was recorded.
    static func isPicture(_ path: String) -> Bool {
        let isLive = path.hasPrefix("/api/v1/cameras/") || path.hasPrefix("/api/v1/program.")
        return isLive && (path.hasSuffix(".jpg") || path.hasSuffix(".mjpg")) || path == "/api/v1/tally"
    }

    /// Whether a `Host` header names this machine: by an IP address, or by one of its own names. A page that makes a name of its own
    /// point to this machine (DNS rebinding) cannot use that name.
    private func isOurs(_ host: String) -> Bool {
        guard let name = URLComponents(string: "http://\(host)")?.host?.lowercased() else { return false }
        let bare = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, bare, &four) == 1 || inet_pton(AF_INET6, bare, &six) == 1
            || MachineAddresses.names.contains(bare)
    }

    /// Headers that each answer has: what the page may load and do, in a browser.
    var headers: [String: String] {
        [
            "Content-Security-Policy":
                "default-src 'self'; img-src 'self' blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
    }
}
