/// What the recorder tells the live process, a line of JSON each: one of the two is set.
public struct LiveCommand: Sendable, Equatable, Codable {
    /// A publication to begin, or to go on with as described.
    public var publish: LiveRequest?
    /// The name of a publication to end.
    public var unpublish: String?

    /// Makes the command to begin a publication.
    public init(publish: LiveRequest) { self.publish = publish }

    /// Makes the command to end a publication.
    public init(unpublish: String) { self.unpublish = unpublish }
}
