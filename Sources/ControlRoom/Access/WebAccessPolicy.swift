internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamStudio

/// Access policy of the web process. The policy examines only the headers of a request, before any of the body is read.
struct WebAccessPolicy {
    /// The token that grants full access.
    let token: AccessToken
    /// The token that grants access to pictures and tally only.
    let readToken: AccessToken
    /// The token that lets a phone act as a camera, and grants no other access.
    let phoneToken: AccessToken
    /// Whether connections use TLS.
    let isEncrypted: Bool
    /// Name of the cookie. The name includes the port, because browsers share cookies between the ports of a host.
    var cookieName: String { "multicam-\(port)" }
    /// The listening port; 0 until the server listens.
    var port = 0

    /// Checks a request's headers.
    ///
    /// - Returns: The response that refuses the request; `nil` if the request is allowed.
    func refusal(of request: RequestHead) -> WebResponse? {
        guard let host = request.host, isOwnHost(host) else {
            return WebResponse(
                421,
                message:
                    "The control room is not available at this host name. Use the address that `multicam studio` printed."
            )
        }
        let origin = request.origin
        let ownOrigin = "\(isEncrypted ? "https" : "http")://\(host)"
        if let origin, origin.lowercased() != ownOrigin.lowercased() {
            return WebResponse(403, message: "Requests from other origins are not allowed.")
        }
        // libsoup passes every path that begins with a WebSocket's path to the handler of that WebSocket, so
        // longer paths are refused.
        let sockets = [WebServer.socketPath, WebServer.phonePath]
        let isSocket = sockets.contains(request.path)
        guard isSocket || (!request.isUpgrade && !sockets.contains { request.path.hasPrefix($0) }) else {
            return WebResponse(404, message: "Page not found.")
        }
        if request.path == WebServer.phonePath { return refusal(ofPhone: request) }
        guard request.path.hasPrefix("/api/") else {
            return ["GET", "HEAD"].contains(request.method)
                ? nil : WebResponse(405, message: "Only GET and HEAD are supported at this address.")
        }
        if let bearer = bearer(of: request) {
            return token.matches(bearer) ? nil : unauthorized
        }
        let hasCookie = request.cookies[cookieName].map { token.matches($0) } ?? false
        // A browser sends the cookie with every request, including those from pages on other ports of this host. Only
        // the browser's own headers show whether one of our pages sent the request.
        let isOwnPage = request.fetchSite.map { ["same-origin", "none"].contains($0.lowercased()) } ?? true
        if hasCookie, isOwnPage {
            let changes = !["GET", "HEAD"].contains(request.method) || request.path == WebServer.socketPath
            return changes && origin == nil
                ? WebResponse(403, message: "The `Origin` header is missing.") : nil
        }
        if let candidate = request.query["token"], request.method == "GET", Self.isPicture(request.path) {
            return token.matches(candidate) || readToken.matches(candidate) ? nil : unauthorized
        }
        return hasCookie
            ? WebResponse(403, message: "Requests from other web pages are not allowed.") : unauthorized
    }

    /// Checks a phone's request to become a camera. The browser must report one of our pages as the origin, and the
    /// request must carry the token from the link.
    private func refusal(ofPhone request: RequestHead) -> WebResponse? {
        guard request.origin != nil else {
            return WebResponse(403, message: "The `Origin` header is missing.")
        }
        guard phoneToken.matches(request.query["token"] ?? "") else {
            return WebResponse(
                401, message: "This link is no longer valid. Scan the QR code in “Add a phone” again.")
        }
        return request.isUpgrade && request.method == "GET"
            ? nil : WebResponse(404, message: "Page not found.")
    }

    /// Checks the announced body of a request.
    ///
    /// - Returns: The response that refuses the request; `nil` if its body may be read.
    func refusal(ofBodyOf request: RequestHead) -> WebResponse? {
        guard !request.isChunked else {
            return WebResponse(411, message: "The `Content-Length` header is missing.")
        }
        if ["GET", "HEAD"].contains(request.method) {
            return request.length.map { Int($0) == 0 } ?? true
                ? nil : WebResponse(400, message: "A GET request must not have a body.")
        }
        guard let length = request.length.flatMap({ Int($0) }), length >= 0 else {
            return WebResponse(411, message: "The `Content-Length` header is missing.")
        }
        return length > Self.longestBody
            ? WebResponse(413, message: "The request body is longer than \(Self.longestBody) bytes.") : nil
    }

    private static let longestBody = 1 << 18

    private var unauthorized: WebResponse {
        WebResponse(
            401,
            message:
                "The access token is missing or invalid. Open the link that `multicam studio` printed, or send the token as `Authorization: Bearer`."
        )
    }

    private func bearer(of request: RequestHead) -> String? {
        guard let text = request.authorization, text.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return text.dropFirst("bearer ".count).trimmed
    }

    /// Whether the read token grants access to a path: live pictures and tally, but no recordings.
    static func isPicture(_ path: String) -> Bool {
        let isLive = path.hasPrefix("/api/v1/cameras/") || path.hasPrefix("/api/v1/program.")
        return isLive && (path.hasSuffix(".jpg") || path.hasSuffix(".mjpg")) || path == "/api/v1/tally"
    }

    /// Whether a `Host` header names this machine, by IP address or by one of its names. This check stops DNS
    /// rebinding, an attack that points a page's own host name at this machine.
    private func isOwnHost(_ host: String) -> Bool {
        guard let name = URLComponents(string: "http://\(host)")?.host?.lowercased() else { return false }
        let bare = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, bare, &four) == 1 || inet_pton(AF_INET6, bare, &six) == 1
            || MachineAddresses.names.contains(bare)
    }

    /// Headers of every response. These headers restrict the page's permissions and the resources that it may load in a
    /// browser.
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

/// The parts of a request that determine access: the request line and some headers.
struct RequestHead {
    /// HTTP method, such as `GET` or `POST`.
    var method = "GET"
    /// The path without the query.
    var path = "/"
    /// Query parameters. If a name occurs twice, the last value wins.
    var query: [String: String] = [:]
    /// The `Host` header.
    var host: String?
    /// The `Origin` header. Browsers set this header, and pages can't forge it.
    var origin: String?
    /// The `Sec-Fetch-Site` header. Browsers use this header to report how the requesting page relates to this site.
    /// Pages can't forge the header.
    var fetchSite: String?
    /// The `Authorization` header.
    var authorization: String?
    /// Cookies by name.
    var cookies: [String: String] = [:]
    /// Whether the request has an `Upgrade` header and therefore asks for a WebSocket.
    var isUpgrade = false
    /// Whether the request has a `Transfer-Encoding` header. The body of such a request has an unknown
    /// length.
    var isChunked = false
    /// The `Content-Length` header.
    var length: String?
    /// The `Range` header.
    var range: String?
    /// The `If-Range` header.
    var ifRange: String?
}

/// Addresses that other computers use to reach this machine.
enum MachineAddresses {
    /// The machine's IPv4 addresses, without loopback addresses.
    static var all: [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var (found, next): ([String], UnsafeMutablePointer<ifaddrs>?) = ([], first)
        while let entry = next {
            defer { next = entry.pointee.ifa_next }
            guard let address = entry.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
                entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { place in
                _ = inet_ntop(AF_INET, &place.pointee.sin_addr, &text, socklen_t(INET_ADDRSTRLEN))
            }
            found.append(
                String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return found
    }

    /// Host names that browsers may use for this machine.
    static let names: Set<String> = {
        let name = ProcessInfo.processInfo.hostName.lowercased()
        let short = name.split(separator: ".").first.map { String($0) } ?? name
        return ["localhost", name, short, short + ".local"]
    }()
}
