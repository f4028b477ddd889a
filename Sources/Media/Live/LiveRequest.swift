/// One publication as the live process is told of it.
public struct LiveRequest: Sendable, Equatable, Codable {
    /// The publication's name.
    public var name: String
    /// The address to send to.
    public var url: Secret
    /// What is published: `program`, or a camera's role.
    public var of: String
    /// The encoder of its own; `nil` for the recording's packets. Of a virtual camera the size and the rate.
    public var video: LiveVideo?
    /// The bearer token of a WHIP server; `nil` for none.
    public var token: Secret?
    /// Whether the program is encoded for it on standby, too.
    public var standby: Bool

    /// Makes a request; each parameter sets the property of its name.
    public init(
        name: String, url: Secret, of: String = "program", video: LiveVideo? = nil, token: Secret? = nil,
        standby: Bool = false
    ) {
        (self.name, self.url, self.of) = (name, url, of)
        (self.video, self.token, self.standby) = (video, token, standby)
    }
}
