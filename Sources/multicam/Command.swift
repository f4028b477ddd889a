import MulticamArguments
import MulticamMedia
import MulticamProfiles
import MulticamSetup

/// A command of the program, such as `record`. The command's name is the first word after `multicam`.
///
/// `init` parses all arguments into typed values, so `run` doesn't need to check strings. Commands write data
/// to standard output and everything else to standard error.
protocol Command: Sendable {
    static var spec: CommandSpec { get }
    init(_ arguments: ParsedArguments) throws(UsageError)
    func run() async throws -> ExitStatus
}

/// The options that select a profile and its devices.
enum ProfileOptions {
    static let specs = [
        OptionSpec("profile", "P", help: "Profile name or file. `multicam profiles` lists the names."),
        OptionSpec(
            "camera", "ROLE=DEVICE", isRepeatable: true, kind: .cameraOfRole,
            help: "Camera to use for a role."),
        OptionSpec(
            "mic", "ROLE=DEVICE", isRepeatable: true, kind: .microphoneOfRole,
            help: "Microphone to use for a role."),
        OptionSpec("no-mics", help: "Record only cameras, without microphones."),
        OptionSpec(
            "virtual",
            help: "Use virtual devices for all roles except those with a file or a --camera or --mic option."),
        OptionSpec(
            "virtual-pattern", "PATTERN",
            kind: .keywords(VirtualPattern.allCases.map(\.rawValue), orFile: false),
            help:
                "Like --virtual, with this pattern: clap (test pictures and beeps) or people (drawn people who speak). "
                + "Default: people in `multicam studio`, otherwise clap."),
    ]

    /// Parses the options that select a profile and its devices.
    ///
    /// - Parameters:
    ///   - arguments: The parsed command line.
    ///   - defaultProfile: The name of the default profile; `nil` if the command requires the option
    ///     `--profile`.
    ///   - virtualPattern: The default pattern of virtual devices.
    /// - Returns: The setup request with the profile and the devices.
    /// - Throws: `UsageError` if the options are inconsistent.
    static func request(
        _ arguments: ParsedArguments, defaultProfile: String? = nil, virtualPattern: VirtualPattern = .clap
    ) throws(UsageError) -> SessionConfiguration {
        let profile: String
        if let defaultProfile, arguments.optional("profile") == nil {
            profile = defaultProfile
        } else {
            profile = try arguments.required("profile")
        }
        // `multicam calibrate` doesn't have this option.
        let pattern =
            arguments.spec.options.contains { $0.name == "virtual-pattern" }
            ? arguments.optional("virtual-pattern") : nil
        var request = SessionConfiguration(
            profile: profile,
            cameras: try selections("camera", arguments),
            microphones: try selections("mic", arguments),
            usesVirtualDevices: arguments.flag("virtual") || pattern != nil)
        request.virtualPattern =
            try pattern.map { text throws(UsageError) in
                guard let pattern = VirtualPattern(rawValue: text) else {
                    throw arguments.spec.error(
                        "`--virtual-pattern \(text.printable())`: expected `clap` or `people`.")
                }
                return pattern
            } ?? virtualPattern
        request.omitsMicrophones = arguments.flag("no-mics")
        if request.omitsMicrophones, let named = request.microphones.first {
            throw arguments.spec.error(
                "`--no-mics` and `--mic \(named.role.printable())=…` can't be combined. Leave out one of them."
            )
        }
        return request
    }

    /// Parses the device selections of an option. For the selector `-`, the address is read from standard
    /// input.
    private static func selections(
        _ option: String, _ arguments: ParsedArguments
    ) throws(UsageError) -> [RoleSelection] {
        try arguments.pairs(option).map { pair throws(UsageError) in
            let selector = pair.value
            let place = "`--\(option) \(pair.key.printable())=…`"
            if selector == "-" {
                guard let line = readLine(), SourceAddress.handles(line) else {
                    throw arguments.spec.error(
                        "\(place): expected the address of a network camera on standard input.")
                }
                return RoleSelection(role: pair.key, selector: try address(line, place, arguments).text)
            }
            guard SourceAddress.handles(selector) else {
                return RoleSelection(role: pair.key, selector: selector)
            }
            guard try !address(selector, place, arguments).hasSecret else {
                throw arguments.spec.error(
                    "\(place): the address contains a password or key, and all users of this computer can see command-line arguments. "
                        + "Save the address in a file and set `url_from` in the profile, or write `-` and enter the address on standard input."
                )
            }
            return RoleSelection(role: pair.key, selector: selector)
        }
    }

    private static func address(
        _ text: String, _ place: String, _ arguments: ParsedArguments
    ) throws(UsageError) -> SourceAddress {
        do throws(AddressError) {
            return try SourceAddress(text)
        } catch {
            throw arguments.spec.error("\(place): \(error)")
        }
    }
}

extension ParsedArguments {
    /// Returns the value of `--duration`; `nil` if the option isn't present.
    ///
    /// - Throws: `UsageError` if the value isn't a time greater than zero.
    func duration() throws(UsageError) -> Nanoseconds? {
        guard let text = optional("duration") else { return nil }
        guard let duration = Nanoseconds(text), duration > .zero else {
            throw spec.error(
                "`--duration \(text.printable())`: expected a duration greater than zero, such as 10, 2.5, 500ms, 10s, 90min, 1h30m, or 1:30."
            )
        }
        return duration
    }

    /// Returns the value of an option that takes a time; `nil` if the option isn't present.
    ///
    /// - Throws: `UsageError` if the value isn't a time or isn't in `range`.
    func time(
        _ option: String, in range: ClosedRange<Nanoseconds>
    ) throws(UsageError) -> Nanoseconds? {
        guard let text = optional(option) else { return nil }
        guard let time = Nanoseconds(text), range.contains(time) else {
            throw spec.error(
                "`--\(option) \(text.printable())`: expected a time from "
                    + "\(range.lowerBound.text) to \(range.upperBound.text), for example 1.5s.")
        }
        return time
    }
}
