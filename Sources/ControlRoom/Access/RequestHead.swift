/// What of a request decides whether it may be asked: its first line and some headers.
struct RequestHead {
    /// `GET`, `POST` and so on.
    var method = "GET"
    /// The path, without what follows `?`.
    var path = "/"
    /// The parameters after `?`; of a name that comes twice the last one counts.
    var query: [String: String] = [:]
    /// The header `Host`.
    var host: String?
    /// The header `Origin`, which browsers send and pages cannot forge.
    var origin: String?
    /// The header `Sec-Fetch-Site`, by which browsers tell how near the page that asks is, and which pages cannot forge.
    var fetchSite: String?
    /// The header `Authorization`.
    var authorization: String?
    /// The cookies by name.
    var cookies: [String: String] = [:]
    /// Whether there is a header `Upgrade`: a WebSocket is asked for.
    var isUpgrade = false
    /// Whether there is a header `Transfer-Encoding`: the length of the body is not told.
    var isChunked = false
    /// The header `Content-Length`.
    var length: String?
    /// The header `Range`.
    var range: String?
    /// The header `If-Range`.
    var ifRange: String?
}
