/// Configuration of a studio.
package struct StudioPlan: Sendable {
    /// Path of the `multicam` program.
    package var program: String
    /// Path of the web process's executable.
    package var webProgram: String
    /// Options for `record` and `plan` that select what is recorded, such as `--profile pip --virtual`.
    package var choice: [String]
    /// Folder for session folders; `nil` for the default of `record`.
    package var output: String?
    /// IP address to listen on.
    package var address: String
    /// Port to listen on; 0 to choose a free port.
    package var port: Int
    /// Whether connections use TLS.
    package var isEncrypted: Bool
    /// Path of a PEM file with a certificate and its key. If `nil` and connections use TLS, a certificate is created.
    package var certificate: String?
    /// Folder for persistent state.
    package var stateFolder: String
    /// Folder of the user's own profiles; `nil` if the environment doesn't define it.
    package var profileFolder: String?
    /// Process ID of a running recorder to attach to; `nil` to start a recorder.
    package var recorder: Int32?

    /// Creates a configuration. Each parameter sets the property of the same name.
    package init(
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

    /// Arguments that start a recorder in standby.
    var recorderArguments: [String] { ["record", "--standby"] + choice + outputOptions }

    /// The options in `choice` that select devices, without the profile.
    var deviceOptions: [String] {
        guard let index = choice.firstIndex(of: "--profile"), index + 1 < choice.count else { return choice }
        return Array(choice[..<index] + choice[(index + 2)...])
    }

    /// The option that sets the folder for session folders.
    var outputOptions: [String] { output.map { ["--output", $0] } ?? [] }
}

/// The reason why the studio can't run, as a sentence for the user.
package struct StudioError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Message that states what failed, where, why, and what to do.
    package let description: String

    /// Creates an error from its message.
    package init(_ description: String) { self.description = description }
}
