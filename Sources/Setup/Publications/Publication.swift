public import Media
public import Plan
public import Profiles

/// A live output with its address: what is sent where. Its words show no key.
public struct Publication: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Its name.
    public let name: String
    /// Where it sends to; its text may hold a key.
    public let address: DestinationAddress
    /// The token of a WHIP endpoint; `nil` for none.
    public var token: Secret?
    /// What it sends: `program`, or a camera's role.
    public var source: String
    /// When it begins.
    public var start: PublicationSettings.Start
    /// Frames that are made for it alone; `nil` for the recording's packets, or audio.
    public var frames: PlannedPublication.Frames?

    /// Creates a live output; each parameter sets the property of its name.
    public init(
        name: String, address: DestinationAddress, token: Secret? = nil,
        source: String = PublicationSettings.program, start: PublicationSettings.Start = .command,
        frames: PlannedPublication.Frames? = nil
    ) {
        (self.name, self.address, self.token) = (name, address, token)
        (self.source, self.start, self.frames) = (source, start, frames)
    }

    /// The output as a plan has it, without keys.
    package var planned: PlannedPublication {
        PlannedPublication(
            name: name, kind: address.kind, destination: address.printable, source: source, start: start,
            frames: frames)
    }

    /// The name, and the address as it may be shown.
    public var description: String { "\(name): \(address.printable)" }
    /// The same as `description`.
    public var debugDescription: String { description }
}
