internal import FoundationEssentials
import MulticamMedia

/// URL of a WHIP endpoint, or of the resource that a WHIP server creates for a stream. All properties except
/// `place` are secret.
struct WHIPEndpoint: Equatable {
    /// The URL for requests, with the scheme `https` or `http`.
    let url: URL
    /// Scheme, host, and port of the URL, for messages.
    let printable: String

    /// Creates an endpoint from a live output's address.
    ///
    /// - Throws: `PublishingError.refused` if the address isn't a valid URL.
    init(_ address: LiveOutputAddress) throws(PublishingError) {
        guard let url = URL(string: String(address.text.dropFirst("whip+".count))),
            let endpoint = Self(url, place: address.printable)
        else {
            throw .refused(
                "the address \(address.printable) contains characters that are not allowed in a URL. Encode each of them as % and two hexadecimal digits."
            )
        }
        self = endpoint
    }

    private init?(_ url: URL, place: String) {
        guard let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http",
            url.host()?.isEmpty == false, url.user == nil
        else { return nil }
        (self.url, self.printable) = (url, place)
    }

    /// Origin of the URL: scheme, host, and port (RFC 6454). Requests contain a token, which must never be
    /// sent to another origin.
    private var origin: [String] {
        let scheme = url.scheme?.lowercased() ?? ""
        return [scheme, url.host()?.lowercased() ?? "", "\(url.port ?? (scheme == "https" ? 443 : 80))"]
    }

    /// Resolves a `Location` header, which may be absolute or relative to this URL.
    ///
    /// - Returns: The endpoint; `nil` for an invalid URL.
    func endpoint(at location: String) -> WHIPEndpoint? {
        guard let url = URL(string: location, relativeTo: url)?.absoluteURL, let host = url.host() else {
            return nil
        }
        let port = url.port.map { ":\($0)" } ?? ""
        return WHIPEndpoint(url, place: "\(url.scheme ?? "")://\(host)\(port)".printable())
    }

    /// Whether `other` has the same scheme, host, and port.
    func hasSameOrigin(as other: WHIPEndpoint) -> Bool { origin == other.origin }
}

/// A WHIP server's response to an offer (RFC 9725), interpreted.
enum WHIPAnswer: Equatable {
    /// The server accepts the stream, with this SDP answer.
    case accepted(SessionDescription)
    /// The server redirects the offer to another endpoint.
    case redirected(WHIPEndpoint)

    /// Returns the resource that the server has created for the stream. The resource must be deleted when the
    /// stream ends, regardless of the rest of the response. Returns `nil` if the response doesn't name a
    /// resource, or if the resource has another origin, because the `DELETE` request contains the token.
    static func resource(in reply: HTTPReply, of endpoint: WHIPEndpoint) -> WHIPEndpoint? {
        guard reply.status == 201, let resource = reply.location.flatMap({ endpoint.endpoint(at: $0) }) else {
            return nil
        }
        return resource.hasSameOrigin(as: endpoint) ? resource : nil
    }

    /// Interprets a server's response to an offer.
    ///
    /// - Parameters:
    ///   - reply: The received response.
    ///   - endpoint: The endpoint that received the offer.
    /// - Throws: `PublishingError`: `refused` if the user must change a setting, `lost` if a retry may succeed.
    init(_ reply: HTTPReply, of endpoint: WHIPEndpoint) throws(PublishingError) {
        let place = endpoint.printable
        switch reply.status {
        case 201:
            guard reply.contentType?.lowercased().hasPrefix("application/sdp") == true else {
                throw .refused("\(place) responded, but is not a WHIP server. Check the address.")
            }
            self = .accepted(try SessionDescription(reply.body, from: place))
        case 307, 308:
            guard let other = reply.location.flatMap({ endpoint.endpoint(at: $0) }) else {
                throw .refused(
                    "\(place) redirected to an invalid address. Check the address of the live output.")
            }
            guard other.hasSameOrigin(as: endpoint) else {
                throw .refused(
                    "\(place) redirects to \(other.printable). Redirects to another server are not followed, because the token is valid only for \(place). If you trust the other server, set its address for the live output."
                )
            }
            self = .redirected(other)
        case 401, 403:
            throw .refused(
                "\(place) rejected the token, or requires one. Check `token_from` of the live output.")
        case 404, 410:
            throw .refused(
                "\(place) does not have this stream. Check the path in the address of the live output.")
        case 406, 415, 422:
            throw .refused(
                "\(place) rejected the stream (HTTP \(reply.status)). It may not support H.264 and Opus, or this H.264 profile."
            )
        // The status codes listed here mean that another client is already publishing, that the server isn't
        // ready, or that it limits the request rate. A retry may succeed soon.
        case 408, 409, 423, 425, 429, 500...599:
            throw .lost("\(place) can't accept the stream at the moment (HTTP \(reply.status)).")
        default:
            throw .refused(
                "\(place) responded with HTTP \(reply.status), which is not valid for WHIP. Check the address."
            )
        }
    }
}

/// A server's SDP answer, after basic validation: the answer must have one video section and one audio
/// section that accept the offer (RFC 8829, RFC 9725).
struct SessionDescription: Equatable {
    /// The session description for `webrtcbin`, with CRLF line endings.
    let text: String

    /// Maximum length of an SDP answer in bytes. Typical answers are a few thousand bytes long.
    static let maxBytes = 65_536

    /// Parses a server's SDP answer.
    ///
    /// - Parameters:
    ///   - bytes: Body of the server's response.
    ///   - place: The name of the server, for messages.
    /// - Throws: `PublishingError.refused` if the server rejects the video or the audio; `lost` if the body isn't an
    ///   SDP answer.
    init(_ bytes: [UInt8], from place: String) throws(PublishingError) {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard lines.first == "v=0", bytes.count <= Self.maxBytes, !bytes.contains(0) else {
            throw .lost("\(place) did not return a valid session description.")
        }
        let sections = lines.indices.filter { lines[$0].hasPrefix("m=") }
        let session = lines.prefix(upTo: sections.first ?? lines.endIndex)
        let ends = sections.dropFirst() + [lines.endIndex]
        let media = zip(sections, ends).map { lines[$0..<$1] }
        guard media.count == Self.offered.count else {
            throw .lost("\(place) returned \(media.count) streams instead of \(Self.offered.count).")
        }
        for (section, kind) in zip(media, Self.offered) {
            let words = section.first?.split(separator: " ") ?? []
            guard words.count >= 4, words[0] == "m=\(kind.media)" else {
                throw .lost("\(place) returned streams that were not offered.")
            }
            let all = session + section
            // A media section that is bundled with the first section may have port 0 (RFC 8843).
            let isDeclined = words[1] == "0" && !section.contains("a=bundle-only")
            guard !isDeclined, !section.contains("a=inactive"), !section.contains("a=sendonly") else {
                throw .refused("\(place) does not accept \(kind.codec) \(kind.media), or this codec profile.")
            }
            // All media sections use the transport of the first section, so only the first section needs
            // transport attributes.
            guard
                kind.media != Self.offered[0].media
                    || Self.transport.allSatisfy({ name in
                        all.contains { $0.hasPrefix("a=\(name):") }
                    })
            else { throw .lost("\(place) did not return the parameters for ICE and DTLS.") }
        }
        text = lines.map { $0 + "\r\n" }.joined()
    }

    /// Media types and codecs in the offer, in the order of the media sections.
    static let offered: [(media: String, codec: String)] = [("video", "H.264"), ("audio", "Opus")]
    private static let transport = ["ice-ufrag", "ice-pwd", "fingerprint"]
}

/// Profile and level of an H.264 stream, as stated in the stream's sequence parameter set.
struct H264Profile: Equatable {
    /// `profile-level-id` (RFC 6184): profile, constraints, and level as six hexadecimal digits.
    let levelID: String

    /// Parses Annex B parameter sets; `nil` if they don't include a sequence parameter set.
    init?(_ setup: [UInt8]) {
        let startCode: [UInt8] = [0, 0, 1]
        let place = setup.indices.dropLast(6).first { index in
            setup[index..<index + 3].elementsEqual(startCode) && setup[index + 3] & 0x1f == 7
        }
        guard let place else { return nil }
        let hex = setup[(place + 4)..<(place + 7)].map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        levelID = hex.joined()
    }
}
