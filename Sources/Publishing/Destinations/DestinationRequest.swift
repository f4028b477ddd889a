package import Media

/// What a connection is made for.
package struct DestinationRequest: Sendable {
    /// The publication's name, for a device that shows one.
    package let name: String
    /// Where to. Its `text` is secret.
    package let address: DestinationAddress
    /// The bearer token of a WHIP server; `nil` for none.
    package let token: Secret?
    /// What will be sent.
    package let streams: PublishedStreams
    /// Given when the publication ends: calls that block return at once.
    package let cancellation: Cancellation

    /// Creates a request; each parameter sets the property of its name.
    package init(
        name: String, address: DestinationAddress, token: Secret?, streams: PublishedStreams,
        cancellation: Cancellation
    ) {
        (self.name, self.address, self.token) = (name, address, token)
        (self.streams, self.cancellation) = (streams, cancellation)
    }
}
