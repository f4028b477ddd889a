import Arguments
import Media
import Setup

/// The options that name a profile and its devices.
enum ProfileOptions {
    static let specs = [
        OptionSpec("profile", "P", help: "A profile's name (see `multicam profiles`) or its file."),
        OptionSpec(
            "camera", "ROLE=DEVICE", isRepeatable: true, kind: .cameraOfRole,
            help: "Which camera plays a role."),
        OptionSpec(
            "mic", "ROLE=DEVICE", isRepeatable: true, kind: .microphoneOfRole,
            help: "Which microphone plays a role."),
        OptionSpec("no-mics", help: "Leave the microphones out: only cameras are recorded."),
        OptionSpec("virtual", help: "Synthetic devices for every role that no option and no file names."),
    ]

    /// Reads the options.
    ///
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - usualProfile: The profile where none is named; `nil` where one must be.
    /// - Returns: The request.
    /// - Throws: `UsageError` when the options do not fit one another.
    static func request(
        _ arguments: ParsedArguments, usualProfile: String? = nil
    ) throws(UsageError) -> SetupRequest {
        let profile: String
        if let usualProfile, arguments.optional("profile") == nil {
            profile = usualProfile
        } else {
            profile = try arguments.required("profile")
        }
        var request = SetupRequest(
            profile: profile,
            cameras: try arguments.pairs("camera").map { RoleSelection(role: $0.key, selector: $0.value) },
            microphones: try arguments.pairs("mic").map { RoleSelection(role: $0.key, selector: $0.value) },
            usesVirtualDevices: arguments.flag("virtual"))
        request.leavesOutMicrophones = arguments.flag("no-mics")
        if request.leavesOutMicrophones, let named = request.microphones.first {
            throw arguments.spec.error(
                "`--no-mics` leaves all microphones out, and `--mic \(named.role.printable())=…` names one: leave out one of them."
            )
        }
        return request
    }
}
