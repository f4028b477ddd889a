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
    /// Path of a PEM file with a certificate and its key; `nil` for none.
    public var certificate: String?
    /// A recorder that runs already, to which the studio attaches; `nil` to start one.
    public var recorder: Int32?

    /// Creates a plan; each parameter sets the property of its name.
    public init(
        program: String, webProgram: String, choice: [String], output: String?, address: String, port: Int,
        certificate: String?, recorder: Int32?
    ) {
        self.program = program
        self.webProgram = webProgram
        self.choice = choice
        self.output = output
        self.address = address
        self.port = port
        self.certificate = certificate
        self.recorder = recorder
    }

    /// The arguments of a recorder on standby.
    var recording: [String] { ["record", "--standby"] + choice + folder }

    /// The arguments of the program that does a task for a page.
    func arguments(of task: SupervisorLine.Task) -> [String] {
        switch task {
        case .plan: ["plan", "--json"] + choice + folder
        case .devices: ["devices", "--json"]
        case .doctor: ["doctor", "--json"]
        case .recordings: ["recordings", "--json"] + folder
        }
    }

    private var folder: [String] { output.map { ["--output", $0] } ?? [] }
}
