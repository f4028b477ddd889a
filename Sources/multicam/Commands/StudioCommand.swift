import FoundationEssentials
import Glibc
import MulticamArguments
import MulticamControl
import MulticamMedia
internal import MulticamProfiles
import MulticamSessionFolder
import MulticamSetup
import MulticamStudio
import MulticamSystem

/// `multicam studio`: opens the control room in a browser.
struct StudioCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "studio",
        summary: "Open the control room in a browser: previews, levels, switching, and recording.",
        notes: [
            "Starts `record --standby` with the profile, or shows the running session. The page's address is the only line on "
                + "standard output. Anyone with the address has full control, so treat it as a password.",
            "Ctrl-C ends the studio. During a recording, press Ctrl-C twice to end the recording. SIGTERM and SIGHUP "
                + "finish the recording properly. Closing the page or killing its process can't affect a recording.",
            "The page is available only on this computer unless --listen is used; then it is served over HTTPS.",
        ],
        options: ProfileOptions.specs + [
            OptionSpec(
                "output", "DIR", help: "Output folder. Default: `./recordings`."),
            OptionSpec("port", "NUMBER", help: "Port of the page; 0 selects a free port. Default: 8470."),
            OptionSpec(
                "listen", "ADDRESS",
                help:
                    "Make the page available to other computers at this IP address of this computer. 0.0.0.0 selects all of its addresses."
            ),
            OptionSpec(
                "certificate", "FILE",
                help:
                    "PEM file with a certificate and its key. Default with --listen: a certificate created on first use."
            ),
            OptionSpec("no-open", help: "Don't open a browser."),
            OptionSpec("json", help: "Print the address as a line of JSON."),
        ])

    private let choice: [String]
    private let output: String?
    private let address: String
    private let port: Int
    private let certificate: String?
    private let opensBrowser: Bool
    private let wantsJSON: Bool
    private let isProfileSpecified: Bool
    private let request: SessionConfiguration

    /// The default port of the control room. The port is fixed so that bookmarks remain valid.
    private static let defaultPort = 8470
    static let defaultProfile = "pip"
    private static let loopback = "127.0.0.1"

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isProfileSpecified = arguments.optional("profile") != nil
        request = try ProfileOptions.request(
            arguments, defaultProfile: Self.defaultProfile, virtualPattern: .people)
        var choice = ["--profile", arguments.optional("profile") ?? Self.defaultProfile]
        for name in ["camera", "mic"] {
            for (role, selector) in try arguments.pairs(name) {
                choice += ["--\(name)", "\(role)=\(selector)"]
            }
        }
        if request.omitsMicrophones { choice.append("--no-mics") }
        if request.usesVirtualDevices {
            choice += ["--virtual-pattern", request.virtualPattern.rawValue]
        }
        self.choice = choice
        output = arguments.optional("output")
        port =
            try arguments.optional("port").map { text throws(UsageError) in
                guard let number = Int(text), (0...65_535).contains(number) else {
                    throw arguments.spec.error(
                        "`--port \(text.printable())`: expected a number from 0 to 65535.")
                }
                return number
            } ?? Self.defaultPort
        address = arguments.optional("listen") ?? Self.loopback
        certificate = arguments.optional("certificate")
        opensBrowser = !arguments.flag("no-open")
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        guard let program = ProgramPath.own, let web = ProgramPath.sibling("multicam-web") else {
            throw StudioError(
                "The helper program multicam-web is missing. Build it with `swift build`, or install the package multicam-studio."
            )
        }
        guard let folder = StateFolder.path(ProcessInfo.processInfo.environment) else {
            throw StudioError(
                "The control room can't save its state: neither XDG_STATE_HOME nor HOME is set. Set one of them to a folder."
            )
        }
        // Reads the profile first, so that an invalid profile is reported before the recorder starts and the
        // browser opens.
        _ = try SessionSetup.loadProfile(for: request)
        let running = try ControlClient().processes()
        guard running.count <= 1 else {
            throw ControlError.usage(
                "\(running.count) sessions are running, with process IDs \(running.map { String($0) }.joined(separator: ", ")). End all sessions except the one to show."
            )
        }
        if let process = running.first {
            Output.message(
                isProfileSpecified
                    ? "The control room shows the session of process \(process), which is already running. `--profile` is ignored."
                    : "The control room shows the session of process \(process), which is already running.")
        }
        let plan = StudioPlan(
            program: program, webProgram: web, choice: choice, output: output, address: address, port: port,
            isEncrypted: address != Self.loopback || certificate != nil, certificate: certificate,
            stateFolder: folder, profileFolder: SessionSetup.library.folders.first,
            recorder: running.first)
        let (opensBrowser, wantsJSON) = (opensBrowser, wantsJSON)
        let supervisor = Supervisor(plan) { news in
            switch news {
            case .address(let address):
                Output.data(wantsJSON ? JSONText.line(["event": "studio", "url": address]) : address)
                if opensBrowser { DesktopBrowser.open(address, redirectFolder: folder) }
            case .message(let sentence): Output.message(sentence)
            case .recorder(let line): Output.explanation([line])
            }
        }
        try SignalHandler.install()
        SignalHandler.start { request in
            switch request {
            case .stop(_, let isInterrupt): supervisor.stop(requiresConfirmation: isInterrupt)
            case .mark, .split: break
            }
        }
        let status = await withCheckedContinuation { continuation in
            MediaThread.startWhenPossible(name: "studio") {
                continuation.resume(returning: Result { () throws(StudioError) in try supervisor.run() })
            }
        }
        return ExitStatus(rawValue: try status.get()) ?? .failed
    }
}
