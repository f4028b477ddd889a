import Arguments
import FoundationEssentials
import Glibc
import Media
import SessionFolder
import Setup

/// `multicam devices`: lists cameras and microphones, reports changes, remembers the user's remarks on cameras.
struct DevicesCommand: Command {
    static let spec = CommandSpec(
        program: Multicam.program, name: "devices",
        summary: "List cameras and microphones with their formats and problems.",
        notes: [
            "--profile and --port make the sound server use a card otherwise: MICROPHONE is a part of its or its card's name, or "
                + "pulse:SOURCE. The sound server remembers it, whatever programs run.",
            "CAMERA is a part of a name, /dev/video0, usb:PATH, serial:SERIAL or position:front, as for `record`.",
            "What --set says is remembered for that camera: --position makes it `position:front` or `position:back`, "
                + "--mounting is the rotation of a role whose profile has none.",
            "The camera that a role with `any` would get now is the first; `multicam prefer` chooses it.",
            "--watch writes a line for each device: = is there, + arrived, - departed, ~ changed, * is the preferred camera or the "
                + "default microphone from now on; with --json objects with `event`, `at` and `device`. Ctrl-C ends it.",
        ],
        options: [
            OptionSpec("json", help: "Print JSON."),
            OptionSpec("watch", help: "Then tell what arrives and departs, until Ctrl-C."),
            OptionSpec(
                "set", "CAMERA|MICROPHONE", help: "Remember what the following options say of this device."),
            OptionSpec(
                "position", "front|back|unspecified", help: "Where it looks, seen from the user's side."),
            OptionSpec(
                "mounting", "0|90|180|270", help: "Degrees that turn its frames clockwise to be upright."),
            OptionSpec("type", "built-in|external", help: "Whether it is a part of the computer."),
            OptionSpec("profile", "NAME", help: "How the microphone's card is used."),
            OptionSpec("port", "NAME", help: "What the microphone listens to."),
            OptionSpec("forget", "CAMERA", help: "Forget what was said of this camera."),
        ])

    private enum Action: Equatable {
        case list
        case watch
        case set(String, CameraRemark)
        case useCard(String, profile: String?, port: String?)
        case forget(String)
    }

    private let action: Action
    private let wantsJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        wantsJSON = arguments.flag("json")
        let remark = try Self.remark(arguments)
        let given = ["watch", "set", "forget"].filter { arguments.flag($0) }
        guard given.count <= 1 else {
            throw arguments.spec.error("`--\(given[0])` and `--\(given[1])` do not go together.")
        }
        let (profile, port) = (arguments.optional("profile"), arguments.optional("port"))
        if profile != nil || port != nil {
            guard let microphone = arguments.optional("set") else {
                throw arguments.spec.error("--profile and --port need `--set MICROPHONE`.")
            }
            guard remark == CameraRemark() else {
                throw arguments.spec.error(
                    "--profile and --port are of microphones; --position, --mounting and --type of cameras.")
            }
            action = .useCard(microphone, profile: profile, port: port)
        } else if let camera = arguments.optional("set") {
            guard remark != CameraRemark() else {
                throw arguments.spec.error(
                    "`--set` needs --position, --mounting or --type for a camera, --profile or --port for a microphone."
                )
            }
            action = .set(camera, remark)
        } else if remark != CameraRemark() {
            throw arguments.spec.error("--position, --mounting and --type need `--set CAMERA`.")
        } else if let camera = arguments.optional("forget") {
            action = .forget(camera)
        } else {
            action = arguments.flag("watch") ? .watch : .list
        }
    }

    private static func remark(_ arguments: ParsedArguments) throws(UsageError) -> CameraRemark {
        func choice<Value>(
            _ option: String, _ expected: String, _ read: (String) -> Value?
        ) throws(UsageError) -> Value? {
            guard let word = arguments.optional(option) else { return nil }
            guard let value = read(word) else {
                throw arguments.spec.error("`--\(option) \(word.printable())`: expected \(expected).")
            }
            return value
        }
        return CameraRemark(
            position: try choice("position", "front, back or unspecified") {
                CaptureDevice.Position(rawValue: $0)
            },
            mounting: try choice("mounting", "0, 90, 180 or 270") {
                Int($0).flatMap { Rotation(rawValue: $0) }
            },
            type: try choice("type", "built-in or external") { word in
                DevicesText.typeWords.first { $0.word == word }?.type
            })
    }

    func run() async throws -> ExitStatus {
        switch action {
        case .list: list(DeviceListing())
        case .watch: try await watch()
        case .set(let selector, let remark): show(try remark.remember(of: selector))
        case .useCard(let selector, let profile, let port):
            list(try SoundCardSetting.apply(to: selector, profile: profile, port: port))
        case .forget(let selector): show(try CameraRemark.forget(selector))
        }
        return .done
    }

    private func list(_ listing: DeviceListing) {
        Output.data(wantsJSON ? JSONText.line(DevicesText.json(listing)) : DevicesText.of(listing))
        for problem in listing.problems { Output.message(problem.description) }
        for warning in listing.warnings { Output.message(warning) }
        if listing.cameras.isEmpty, !wantsJSON {
            Output.message(
                "no camera is connected. Try `multicam record --profile pip --virtual --duration 10`.")
        }
    }

    private func show(_ result: (camera: CaptureDevice, warning: String?)) {
        if let warning = result.warning { Output.message(warning) }
        Output.data(
            wantsJSON ? JSONText.line(DevicesText.json(result.camera)) : DevicesText.of(result.camera))
    }

    private func watch() async throws {
        SignalInbox.open()
        let choice = try DeviceChoice(application: .multicam)
        SignalInbox.listen { request in
            switch request {
            case .stop(1, _): choice.stop()
            case .stop: _exit(ExitStatus.aborted.rawValue)
            case .mark, .split: break
            }
        }
        for await event in choice.events() {
            if case .device(.problem(let error)) = event { Output.message(error.description) }
            let text =
                switch event {
                case .device(let change): DeviceChangeText(change, date: Date())
                case .camera(let preferred), .microphone(let preferred):
                    DeviceChangeText(preferred: preferred, date: Date())
                }
            guard let text else { continue }
            // The reader has gone, so the work is done.
            guard Output.data(wantsJSON ? text.json : text.line) else { return choice.stop() }
        }
    }
}
