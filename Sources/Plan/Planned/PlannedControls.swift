internal import Media
internal import Profiles

/// The controls to set on a role's camera, checked against the controls that the camera reports.
struct PlannedControls {
    private let camera: CameraRole
    private let device: CaptureDevice
    private let source: ProfileSource

    /// Names of the control that lets a camera expose for longer than its rate allows: today's, and before kernel 5.19.
    private static let rateControls = ["exposure_dynamic_framerate", "exposure_auto_priority"]

    init(_ camera: CameraRole, _ device: CaptureDevice, source: ProfileSource) {
        self.camera = camera
        self.device = device
        self.source = source
    }

    /// The request that keeps the camera's rate in the dark, where the camera would slow down and the profile does not allow it.
    var rateLock: ControlRequest? {
        guard let control = device.controls.first(of: Self.rateControls), !control.isReadOnly,
            !camera.controls.contains(where: { Self.rateControls.contains($0.name) })
        else { return nil }
        return ControlRequest(name: control.name, value: 0, origin: .rateLock)
    }

    /// The requests for the controls that the profile sets.
    ///
    /// Controls of a camera that could not be asked for them yet are checked when it is opened.
    /// - Throws: `ProfileError` with the profile's field, for a value that the camera will never accept.
    func requests() throws(ProfileError) -> [ControlRequest] {
        var requests: [ControlRequest] = []
        for setting in camera.controls {
            guard let control = device.controls.named(setting.name) else {
                guard device.controls.isEmpty, let number = setting.plainNumber else {
                    throw error(.unknown(setting.name, names: device.controls.map(\.name)), setting.name)
                }
                requests.append(ControlRequest(name: setting.name, value: number, origin: setting.origin))
                continue
            }
            do throws(ControlFault) {
                let number = try setting.number(for: control)
                requests.append(ControlRequest(name: setting.name, value: number, origin: setting.origin))
            } catch {
                throw self.error(error, setting.name)
            }
        }
        for request in requests {
            guard let fault = device.controls.governing(request.name, beside: requests) else { continue }
            if request.origin == .asked { throw error(fault, request.name) }
        }
        // A preset's value for a control that the profile leaves to an automatic one is of no use.
        return requests.filter {
            $0.origin == .asked || device.controls.governing($0.name, beside: requests) == nil
        }
    }

    private func error(_ fault: ControlFault, _ name: String) -> ProfileError {
        let (found, expected): (String, String) =
            switch fault {
            case .unknown(_, let names) where names.isEmpty:
                ("a control of a camera that has none", "no controls")
            case .unknown(_, let names):
                (
                    "a control that its camera does not have",
                    "one that it has, such as \(ControlFault.near(name, among: names).joined(separator: ", "))"
                )
            case .readOnly: ("a control that can only be read", "another control")
            case .governed(let governor?, let manual?):
                ("a control that `\(governor)` governs", "`\(governor): \(manual)` beside it")
            case .outOfRange(let value, let minimum, let maximum, let step):
                (
                    "“\(value)”",
                    "a number from \(minimum) to \(maximum)" + (step > 1 ? " in steps of \(step)" : "")
                )
            case .noBits(let value, let all): ("“\(value)”", "a sum of bits of \(all)")
            case .noChoice(let word, let choices): ("“\(word)”", "one of \(choices.joined(separator: ", "))")
            case .noNumber(let word, let expected): ("“\(word)”", expected)
            case .governed, .refused, .noPreset: ("a control that cannot be set", "\(fault)")
            }
        return source.error(
            at: "cameras.\(camera.role).controls.\(name)", found: found, expected: expected.trimmingFullStop)
    }
}
