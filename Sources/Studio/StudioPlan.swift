/// What a studio runs.
public struct StudioPlan: Sendable {
    /// Path of the program `multicam` itself.
    public var program: String
    /// Path of the web process's program.
    public var webProgram: String
    /// The options of `record` and `plan` that say what is recorded, such as `--profile pip --virtual`.
    public var choice: [String]
    /// The folder for session folders; `nil` for `record`'s own.
    public var output: String?
    /// The IP address to listen at.
    public var address: String
    /// The port to listen at; 0 for a free one.
    public var port: Int
    /// Whether connections are TLS.
    public var isEncrypted: Bool
    /// Path of a PEM file with a certificate and its key; `nil` for one that is made, where connections are TLS.
    public var certificate: String?
    /// The folder for what is remembered.
    public var stateFolder: String
    /// The folder of the user's own profiles; `nil` where the environment names none.
    public var profileFolder: String?
    /// A recorder that runs already, to which the studio attaches; `nil` to start one.
    public var recorder: Int32?

    /// Creates a plan; each parameter sets the property of its name.
    public init(
        program: String, webProgram: String, choice: [String], output: String?, address: String, port: Int,
        isEncrypted: Bool, certificate: String?, stateFolder: String, profileFolder: String?,
        recorder: Int32?
    ) {
        self.profileFolder = profileFolder
        self.isEncrypted = isEncrypted
        self.stateFolder = stateFolder
        self.program = program
        self.webProgram = webProgram
        self.choice = choice
        self.output = output
        self.address = address
        self.port = port
        self.certificate = certificate
        self.recorder = recorder
    }

    /// Path of the folder for session folders.
    var recordings: String { output ?? "recordings" }

    /// The arguments of a recorder on standby.
    var recording: [String] { ["record", "--standby"] + choice + folder }

    /// The options of `choice` that say which devices are used, without the profile.
    var devices: [String] {
        guard let index = choice.firstIndex(of: "--profile"), index + 1 < choice.count else { return choice }
        return Array(choice[..<index] + choice[(index + 2)...])
    }

    /// The option that names the folder for session folders.
    var folder: [String] { output.map { ["--output", $0] } ?? [] }
}
