internal import MulticamProfiles

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
        let given = choice.firstIndex(of: "--profile").flatMap { choice.dropFirst($0 + 1).first }
        profileFile = given.flatMap { path in
            let name = Profile.name(ofFile: path)
            // Other names can't be part of an address.
            guard ProfileLibrary.isPath(path), StudioRequestHandler.isProfileName(name) else { return nil }
            return (name, path)
        }
    }

    /// The profile file that the studio was started with, and its name; `nil` if the studio was started with a profile
    /// of the library. The file remains selectable when another profile is in use.
    let profileFile: (name: String, path: String)?

    /// Returns the value of `--profile` for a name on the page; `nil` if the name is invalid.
    func profileArgument(_ name: String?) -> String? {
        if let profileFile, profileFile.name == name { return profileFile.path }
        return StudioRequestHandler.isProfileName(name) ? name : nil
    }

    /// Path of the folder for session folders.
    var recordings: String { output ?? "recordings" }

    /// Arguments that start a recorder in standby.
    var recorderArguments: [String] { ["record", "--standby"] + choice + outputOptions }

    /// `choice` for `calibrate`, which always uses the default pattern of virtual devices, because it measures claps.
    var calibrationOptions: [String] {
        guard let index = choice.firstIndex(of: "--virtual-pattern") else { return choice }
        return choice[..<index] + ["--virtual"] + choice.dropFirst(index + 2)
    }

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
