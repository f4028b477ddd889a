/// What the supervisor tells the web process at its start: one line of JSON, since a secret does not belong into arguments, which others
/// can read.
public struct RoomSettings: Sendable, Codable {
    /// The IP address to listen at.
    public var address: String
    /// The port to listen at; 0 for a free one.
    public var port: Int
    /// Whether connections are TLS.
    public var isEncrypted: Bool
    /// Path of a PEM file with a certificate and its key; `nil` for one that the web process makes, where connections are TLS.
    public var certificate: String?
    /// The folder where such a certificate is kept.
    public var stateFolder: String
    /// Path of the folder for session folders.
    public var recordings: String
    /// Lets its bearer do everything.
    public var token: AccessToken
    /// Lets its bearer look at pictures and tally.
    public var readToken: AccessToken
    /// Lets its bearer, a phone, be a camera.
    public var phoneToken: AccessToken
    /// The recorder's process identifier; `nil` while there is none.
    public var recorder: Int32?

    /// Creates settings; each parameter sets the property of its name.
    public init(
        address: String, port: Int, isEncrypted: Bool, certificate: String?, stateFolder: String,
        recordings: String, token: AccessToken, readToken: AccessToken, phoneToken: AccessToken,
        recorder: Int32?
    ) {
        self.recordings = recordings
        self.phoneToken = phoneToken
        self.isEncrypted = isEncrypted
        self.stateFolder = stateFolder
        self.address = address
        self.port = port
        self.certificate = certificate
        self.token = token
        self.readToken = readToken
        self.recorder = recorder
    }
}
