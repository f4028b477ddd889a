/// What a WHIP server's answer to an offer means (RFC 9725).
enum WHIPAnswer: Equatable {
    /// The server takes the stream.
    case accepted(SessionDescription)
    /// The offer is to be sent elsewhere.
    case elsewhere(WHIPEndpoint)

    /// What the server has made for the stream, to be deleted at the end, whatever else it answers; `nil` where it has not told.
    static func resource(in reply: HTTPReply, of endpoint: WHIPEndpoint) -> WHIPEndpoint? {
        reply.status == 201 ? reply.location.flatMap { endpoint.named($0) } : nil
    }

    /// Judges an answer.
    ///
    /// - Parameters:
    ///   - reply: The answer as it came.
    ///   - endpoint: Where the offer was sent.
    /// - Throws: `PublishingError`: `refused` for what a person has to change, `lost` for what may be different next time.
    init(_ reply: HTTPReply, of endpoint: WHIPEndpoint) throws(PublishingError) {
        let place = endpoint.place
        switch reply.status {
        case 201:
            guard reply.contentType?.lowercased().hasPrefix("application/sdp") == true else {
                throw .refused("\(place) answers, but not as a WHIP server does: look at the address.")
            }
            self = .accepted(try SessionDescription(reply.body, from: place))
        case 307, 308:
            guard let other = reply.location.flatMap({ endpoint.named($0) }), other.isEncrypted else {
                throw .refused(
                    "\(place) redirects to an address without TLS, which multicam does not follow: give the publication the address of the other server."
                )
            }
            self = .elsewhere(other)
        case 401, 403:
            throw .refused(
                "\(place) does not take the token, or wants one: look at the publication's `token_from`.")
        case 404, 410:
            throw .refused("\(place) has no such stream: look at the path of the publication's address.")
        case 406, 415, 422:
            throw .refused(
                "\(place) refuses the stream (HTTP \(reply.status)): it may not take H.264 and Opus, or not this H.264 profile."
            )
        // Somebody publishes there already, the server is not ready, or asked too often: the same may go well soon.
        case 408, 409, 423, 425, 429, 500...599:
            throw .lost("\(place) cannot take the stream now (HTTP \(reply.status)).")
        default:
            throw .refused(
                "\(place) answers HTTP \(reply.status), which no WHIP server does: look at the address.")
        }
    }
}
