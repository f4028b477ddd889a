internal import FoundationEssentials
import Media

/// The address of a WHIP server's endpoint, or of the resource that it makes for a stream. Secret but for `place`.
struct WHIPEndpoint: Equatable {
    /// Where requests are sent: `https` or `http`.
    let url: URL
    /// Scheme, host and port, for messages.
    let place: String

    /// Takes a publication's address.
    ///
    /// - Throws: `PublishingError.refused` for what no URL can have.
    init(_ address: DestinationAddress) throws(PublishingError) {
        guard let url = URL(string: String(address.text.dropFirst("whip+".count))),
            let endpoint = Self(url, place: address.printable)
        else {
            throw .refused(
                "the address of \(address.printable) has characters that no URL has: write them as % and two digits."
            )
        }
        self = endpoint
    }

    private init?(_ url: URL, place: String) {
        guard let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http",
            url.host()?.isEmpty == false, url.user == nil
        else { return nil }
        (self.url, self.place) = (url, place)
    }

    var isEncrypted: Bool { url.scheme?.lowercased() == "https" }

    /// Another address that the server names in `Location`, absolute or relative to this one.
    ///
    /// - Returns: `nil` for what is no address, and for one without TLS of a server that has TLS: it would give the token away.
    func named(_ location: String) -> WHIPEndpoint? {
        guard let url = URL(string: location, relativeTo: url)?.absoluteURL, let host = url.host() else {
            return nil
        }
        let port = url.port.map { ":\($0)" } ?? ""
        let other = WHIPEndpoint(url, place: "\(url.scheme ?? "")://\(host)\(port)".printable())
        return isEncrypted && other?.isEncrypted == false ? nil : other
    }
}
