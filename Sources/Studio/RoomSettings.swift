/// What the supervisor tells the web process at its start: one line of JSON, since a secret does not belong into arguments, which others
/// can read.
public struct RoomSettings: Sendable, Codable {
    /// The IP address to listen at.
    public var address: String
    /// The port to listen at; 0 for a free one.
    public var port: Int
    /// Path of a PEM file with a certificate and its key; `nil` to serve without TLS.
    public var certificate: String?
    /// Lets its bearer do everything.
    public var token: AccessToken
    /// Lets its bearer look at pictures and tally.
    public var readToken: AccessToken
    /// The recorder's process identifier; `nil` while there is none.
    public var recorder: Int32?

    /// Creates settings; each parameter sets the property of its name.
    public init(
        address: String, port: Int, certificate: String?, token: AccessToken, readToken: AccessToken,
        recorder: Int32?
    ) {
        self.address = address
        self.port = port
        self.certificate = certificate
        self.token = token
        self.readToken = readToken
        self.recorder = recorder
    }
}
