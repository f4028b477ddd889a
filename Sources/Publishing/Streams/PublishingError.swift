/// Why a connection was not made or has ended, and what to do about it.
package struct PublishingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happens next.
    package enum Kind: Sendable, Equatable {
        /// A person has to change something: a key, a name, a certificate, an address. It is tried again after a minute only.
        case refused
        /// It looks like a refusal, and may be a server that is restarting: the third in a row is a refusal.
        case doubtful
        /// The network or the server failed. It is tried again soon.
        case lost
    }

    /// What happens next.
    package let kind: Kind
    /// One clear sentence without a secret.
    package let description: String

    private init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

    /// A person has to change something.
    package static func refused(_ sentence: String) -> Self { Self(.refused, sentence) }
    /// It looks like a refusal, and may be a server that is restarting.
    package static func doubtful(_ sentence: String) -> Self { Self(.doubtful, sentence) }
    /// The network or the server failed.
    package static func lost(_ sentence: String) -> Self { Self(.lost, sentence) }
}
