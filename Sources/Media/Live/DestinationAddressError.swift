/// Why live output cannot go to an address, as a sentence without anything secret of that address.
public struct DestinationAddressError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what is expected.
    public let description: String

    /// Creates an error from its sentence.
    public init(_ description: String) { self.description = description }
}
