/// What the recorder tells the process that brings network cameras, a line of JSON each.
public struct SourceCommand: Sendable, Equatable, Codable {
    /// A device to connect to until the process ends.
    public var open: SourceRequest

    /// Makes the command to connect to a device.
    public init(open: SourceRequest) { self.open = open }
}
