package import MulticamMedia
internal import MulticamProfiles

/// The controls to set on a role's camera, checked against the controls that the camera reports.
struct PlannedControls {
    private let camera: CameraRole
    private let device: CaptureDevice
    private let source: ProfileSource

    /// Names of the V4L2 control that lets a camera lower its frame rate for a longer exposure: the current
    /// name, and the name used before Linux 5.19.
    private static let rateControls = ["exposure_dynamic_framerate", "exposure_auto_priority"]

    init(_ camera: CameraRole, _ device: CaptureDevice, source: ProfileSource) {
        self.camera = camera
        self.device = device
        self.source = source
    }

    /// Control request that keeps the camera's frame rate constant in low light; `nil` if the camera doesn't
    /// have the control or if the profile sets it.
    var rateLock: ControlRequest? {
        guard let control = device.controls.first(of: Self.rateControls), !control.isReadOnly,
            !camera.controls.contains(where: { Self.rateControls.contains($0.name) })
        else { return nil }
        return ControlRequest(name: control.name, value: 0, origin: .rateLock)
    }

    /// Returns the requests for the controls that the profile sets.
    ///
    /// If a camera's controls can't be queried yet, the values are checked when the camera is opened.
    /// - Throws: `ProfileError` with the profile's field if the camera can't accept a value.
    func requests() throws(ProfileError) -> [ControlRequest] {
        var requests: [ControlRequest] = []
        for setting in camera.controls {
            guard let control = device.controls.named(setting.name) else {
                guard device.controls.isEmpty, let number = setting.plainNumber else {
                    throw error(
                        .unknownControl(setting.name, names: device.controls.map(\.name)), setting.name)
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
            guard let fault = device.controls.governingFault(for: request.name, alongside: requests) else {
                continue
            }
            if request.origin == .asked { throw error(fault, request.name) }
        }
        // Preset values are omitted for controls that the profile leaves in automatic mode.
        return requests.filter {
            $0.origin == .asked || device.controls.governingFault(for: $0.name, alongside: requests) == nil
        }
    }

    private func error(_ fault: ControlFault, _ name: String) -> ProfileError {
        let (found, expected): (String, String) =
            switch fault {
            case .unknownControl(_, let names) where names.isEmpty:
                ("a control for a camera that does not have controls", "no controls")
            case .unknownControl(_, let names):
                (
                    "a control that the camera does not have",
                    "an existing control such as \(ControlFault.similarNames(to: name, among: names).joined(separator: ", "))"
                )
            case .readOnly: ("a read-only control", "a writable control")
            case .governed(let governor?, let manual?):
                (
                    "a control that `\(governor)` sets automatically",
                    "`\(governor): \(manual)` in addition to this control"
                )
            case .outOfRange(let value, let minimum, let maximum, let step):
                (
                    "“\(value)”",
                    "a number from \(minimum) to \(maximum)" + (step > 1 ? " in steps of \(step)" : "")
                )
            case .invalidBits(let value, let all): ("“\(value)”", "a combination of the bits in \(all)")
            case .invalidChoice(let word, let choices):
                ("“\(word)”", "one of \(choices.joined(separator: ", "))")
            case .invalidNumber(let word, let expected): ("“\(word)”", expected)
            case .governed, .refused, .unknownPreset: ("a control that cannot be set", "\(fault)")
            }
        return source.error(
            at: "cameras.\(camera.role).controls.\(name)", found: found, expected: expected.trimmingFullStop)
    }
}

/// How a role's camera is zoomed and panned: with the camera's own controls if it has all required controls,
/// otherwise by cropping its frames.
///
/// The camera's own zoom affects every output, including copies. A crop affects only the program and encoded
/// tracks. The controls are those of UVC 1.5 (sections 4.2.2.1.11 and 4.2.2.1.15), as V4L2 exposes them.
/// `zoom_absolute` is a focal length; the lowest value gives the widest view. `pan_absolute` and
/// `tilt_absolute` are angles; positive values move the view to the right and up.
struct PlannedZoom {
    /// Zoom, pan, and tilt controls to set on the camera; empty if the camera doesn't have these controls.
    private(set) var requests: [ControlRequest] = []
    /// The part of the zoom that is applied by cropping.
    private(set) var cropped = Zoom.none
    /// Sentence for the user about the zoom; `nil` if the profile doesn't set zoom, pan, or tilt.
    private(set) var note: String?
    private let camera: CameraRole
    private let rotation: Rotation
    private let source: ProfileSource

    /// Decides whether to zoom and pan with the camera's controls or by cropping.
    ///
    /// - Parameters:
    ///   - camera: The role with the zoom, pan, and tilt that the profile sets.
    ///   - device: The camera and its controls.
    ///   - rotation: The clockwise rotation that makes the camera's frames upright.
    ///   - source: The locations of the profile's fields, for error messages.
    /// - Throws: `ProfileError` if the zoom factor is outside the camera's range, or if the profile also sets
    ///   one of these controls directly.
    init(
        _ camera: CameraRole, _ device: CaptureDevice, rotation: Rotation, source: ProfileSource
    ) throws(ProfileError) {
        (self.camera, self.rotation, self.source) = (camera, rotation, source)
        let requested = camera.zoom
        guard requested != .none else { return }
        guard let requests = try Self.requests(camera, device.controls, rotation, source) else {
            cropped = requested
            if requested.factor > 1 {
                note =
                    "the camera does not have a zoom control, so its frames are cropped for \(requested.factor)× zoom, which reduces the resolution."
            }
            return
        }
        self.requests = requests
        let list = requests.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
        note =
            "zoom, pan, and tilt are performed by the camera (\(list)), so they also apply to copied tracks."
    }

    /// Checks that a crop is smaller than the frame, so that it can be moved for pan and tilt.
    ///
    /// - Throws: `ProfileError` if the profile sets pan or tilt although the whole frame is visible.
    func checkPanAndTilt(_ framing: Framing, in size: FrameSize) throws(ProfileError) {
        for (field, position, hasRoom) in [
            ("pan", cropped.pan, framing.canPan(in: size, rotation: rotation)),
            ("tilt", cropped.tilt, framing.canTilt(in: size, rotation: rotation)),
        ] where position != 0 && !hasRoom {
            throw source.error(
                at: "cameras.\(camera.role).\(field)",
                found:
                    "a pan or tilt without zoom for a camera without pan and tilt controls",
                expected: "a zoom factor above 1, or a crop")
        }
    }

    /// Returns the control requests that zoom, pan, and tilt the camera itself.
    ///
    /// - Returns: The requests; `nil` if the camera doesn't have a required control.
    private static func requests(
        _ camera: CameraRole, _ controls: [DeviceControl], _ rotation: Rotation, _ source: ProfileSource
    ) throws(ProfileError) -> [ControlRequest]? {
        let (pan, tilt) = rotation.cameraAxes(right: camera.zoom.pan, up: camera.zoom.tilt)
        var requests: [ControlRequest] = []
        if camera.zoom.factor > 1 {
            // If the range of the zoom control starts at zero, its values aren't focal lengths, and doubling
            // the value doesn't double the zoom.
            guard let zoom = usable("zoom_absolute", controls), zoom.minimum > 0 else { return nil }
            let highest = Double(zoom.maximum) / Double(zoom.minimum)
            guard camera.zoom.factor <= highest else {
                throw source.error(
                    at: "cameras.\(camera.role).zoom", found: "“\(camera.zoom.factor)”",
                    expected:
                        "a number from 1 to \((highest * 100).rounded(.down) / 100), the zoom range of the camera"
                )
            }
            let value = (Double(zoom.minimum) * camera.zoom.factor).rounded()
            requests.append(
                ControlRequest(name: zoom.name, value: zoom.nearest(to: Int64(rounding: value, .towardZero))))
        }
        for (name, position) in [("pan_absolute", pan), ("tilt_absolute", tilt)] where position != 0 {
            guard let control = usable(name, controls), control.minimum < 0, control.maximum > 0 else {
                return nil
            }
            let end = Double(position > 0 ? control.maximum : control.minimum)
            let value = Int64(rounding: end * abs(position))
            requests.append(ControlRequest(name: name, value: control.nearest(to: value)))
        }
        if let twice = requests.first(where: { request in
            camera.controls.contains { $0.name == request.name && $0.origin == .asked }
        }) {
            throw source.error(
                at: "cameras.\(camera.role).controls.\(twice.name)",
                found: "a control that zoom, pan or tilt of the same camera also sets",
                expected: "only one of these settings")
        }
        return requests
    }

    private static func usable(_ name: String, _ controls: [DeviceControl]) -> DeviceControl? {
        controls.named(name).flatMap { $0.isReadOnly ? nil : $0 }
    }
}

extension [DeviceControl] {
    /// Returns the requests for controls that the user named. The requests are in application order,
    /// regardless of the order of `words`.
    ///
    /// - Parameters:
    ///   - words: Each control's name, with a number, a word such as `on`, or a menu item.
    ///   - device: The device that has these controls, for error messages.
    /// - Returns: One request for each named control.
    /// - Throws: `DeviceError` with the reason `control`, for an unknown name or value, or for a control that is locked
    ///   by another control.
    package func requests(
        for words: [(name: String, value: String)], of device: String
    ) throws(DeviceError) -> [ControlRequest] {
        func failure(_ name: String, _ fault: ControlFault) -> DeviceError {
            DeviceError(device: device, operation: "setting \(name.printable())", reason: .control(fault))
        }
        var requests: [ControlRequest] = []
        for (name, word) in words {
            guard let control = named(name) else {
                throw failure(name, .unknownControl(name, names: map(\.name)))
            }
            do throws(ControlFault) {
                requests.append(ControlRequest(name: name, value: try control.value(of: word)))
            } catch {
                throw failure(name, error)
            }
        }
        if let (name, fault) = fault(in: requests) { throw failure(name, fault) }
        return ControlGovernor.ordered(requests)
    }
}
