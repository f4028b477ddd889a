/// Why a message of the media socket is not understood, as a sentence for its sender.
package struct MediaLinkError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    /// Says why.
    package init(_ description: String) { self.description = description }
}
