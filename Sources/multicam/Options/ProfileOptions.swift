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
            cameras: try selections("camera", arguments),
            microphones: try selections("mic", arguments),
            usesVirtualDevices: arguments.flag("virtual"))
        request.leavesOutMicrophones = arguments.flag("no-mics")
        if request.leavesOutMicrophones, let named = request.microphones.first {
            throw arguments.spec.error(
                "`--no-mics` leaves all microphones out, and `--mic \(named.role.printable())=…` names one: leave out one of them."
            )
        }
        return request
    }

    /// Reads the devices of an option. `-` stands for an address that is read from standard input.
    private static func selections(
        _ option: String, _ arguments: ParsedArguments
    ) throws(UsageError) -> [RoleSelection] {
        try arguments.pairs(option).map { pair throws(UsageError) in
            let selector = pair.value
            let place = "`--\(option) \(pair.key.printable())=…`"
            if selector == "-" {
                guard let line = readLine(), SourceAddress.handles(line) else {
                    throw arguments.spec.error(
                        "\(place): expected the address of a network camera in a line of standard input.")
                }
                return RoleSelection(role: pair.key, selector: try address(line, place, arguments).text)
            }
            guard SourceAddress.handles(selector) else {
                return RoleSelection(role: pair.key, selector: selector)
            }
            guard try !address(selector, place, arguments).hasSecret else {
                throw arguments.spec.error(
                    "\(place): everybody on this computer sees the arguments of a command, and the address has a password or a key: "
                        + "keep it in a file and name that by `url_from` in the profile, or write `-` and give the address on standard input."
                )
            }
            return RoleSelection(role: pair.key, selector: selector)
        }
    }

    private static func address(
        _ text: String, _ place: String, _ arguments: ParsedArguments
    ) throws(UsageError) -> SourceAddress {
        do throws(DestinationAddressError) {
            return try SourceAddress(text)
        } catch {
            throw arguments.spec.error("\(place): \(error)")
        }
    }
}
