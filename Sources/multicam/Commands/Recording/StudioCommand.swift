import Arguments
import Control
import FileSystem
import FoundationEssentials
import Glibc
import Media
import Processes
internal import Profiles
import SessionFolder
import Setup
import Studio

/// `multicam studio`: the control room in a browser.
struct StudioCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "studio",
        summary: "Open the control room: see the cameras, hear the levels, switch, and record, in a browser.",
        notes: [
            "Starts `record --standby` with the profile, or shows the session that runs already. The page's address is the only line of "
                + "standard output; whoever has it may do everything, so treat it as a password.",
            "Ctrl-C ends the studio; while a recording runs it asks first: the recording ends when it is pressed again. SIGTERM and SIGHUP "
                + "finish the recording properly. The page may be closed, and its process killed, at any moment: no recording notices.",
            "It is served to this computer alone, unless --listen names an address; then by TLS.",
        ],
        options: ProfileOptions.specs + [
            OptionSpec(
                "output", "DIR", help: "Where session folders are made. Default: recordings in this folder."),
            OptionSpec("port", "NUMBER", help: "The port of the page. Default: 8470; 0: a free one."),
            OptionSpec(
                "listen", "ADDRESS",
                help:
                    "Serve other computers too: the IP address of this one that they reach, or 0.0.0.0 for all."
            ),
            OptionSpec(
                "certificate", "FILE",
                help:
                    "A PEM file with a certificate and its key. Default with --listen: one that is made at first use."
            ),
            OptionSpec("no-open", help: "Do not open the browser."),
            OptionSpec("json", help: "Print the address as a line of JSON."),
        ])

    private let choice: [String]
    private let output: String?
    private let address: String
    private let port: Int
    private let certificate: String?
    private let opensBrowser: Bool
    private let wantsJSON: Bool
    private let namesProfile: Bool
    private let request: SetupRequest

    /// The port that bookmarks of the page name.
    private static let usualPort = 8470
    static let usualProfile = "pip"
    private static let loopback = "127.0.0.1"

    init(_ arguments: ParsedArguments) throws(UsageError) {
        namesProfile = arguments.optional("profile") != nil
        request = try ProfileOptions.request(arguments, usualProfile: Self.usualProfile)
        var choice = ["--profile", arguments.optional("profile") ?? Self.usualProfile]
        for name in ["camera", "mic"] {
            for (role, selector) in try arguments.pairs(name) {
                choice += ["--\(name)", "\(role)=\(selector)"]
            }
        }
        for name in ["no-mics", "virtual"] where arguments.flag(name) { choice.append("--\(name)") }
        self.choice = choice
        output = arguments.optional("output")
        port =
            try arguments.optional("port").map { text throws(UsageError) in
                guard let number = Int(text), (0...65_535).contains(number) else {
                    throw arguments.spec.error(
                        "`--port \(text.printable())`: expected a number from 0 to 65535.")
                }
                return number
            } ?? Self.usualPort
        address = arguments.optional("listen") ?? Self.loopback
        certificate = arguments.optional("certificate")
        opensBrowser = !arguments.flag("no-open")
        wantsJSON = arguments.flag("json")
    }

    func run() async throws -> ExitStatus {
        guard let program = ProgramPath.own, let web = ProgramPath.beside("multicam-web") else {
            throw StudioError(
                "the control room's program, multicam-web, is not beside this one: build it with `swift build`, or install the package multicam-studio."
            )
        }
        guard let folder = StateFolder.path(ProcessInfo.processInfo.environment) else {
            throw StudioError(
                "neither XDG_STATE_HOME nor HOME names a folder for what the control room keeps. Set one of them."
            )
        }
        // A profile that is wrong is said here, and not by a recorder whose page is open already.
        _ = try SessionSetup.read(request)
        let running = try ControlClient().processes()
        guard running.count <= 1 else {
            throw ControlError.usage(
                "\(running.count) sessions run, as processes \(running.map { String($0) }.joined(separator: ", ")): end all but the one to show."
            )
        }
        if let process = running.first {
            Output.message(
                "process \(process) has a session already: the control room shows it"
                    + (namesProfile ? ", whatever --profile says." : "."))
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
                if opensBrowser { DesktopBrowser.open(address, by: folder) }
            case .message(let sentence): Output.message(sentence)
            case .recorder(let line): Output.explanation([line])
            }
        }
        SignalInbox.open()
        SignalInbox.listen { request in
            switch request {
            case .stop(_, let isInterrupt): supervisor.stop(asks: isInterrupt)
            case .mark, .split: break
            }
        }
        let status = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "studio") {
                continuation.resume(returning: Result { () throws(StudioError) in try supervisor.run() })
            }
        }
        return ExitStatus(rawValue: try status.get()) ?? .failed
    }
}
