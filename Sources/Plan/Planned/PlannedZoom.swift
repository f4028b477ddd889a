internal import Media
internal import Profiles

/// How a role's camera is zoomed and moved: by its own controls where it has all that are needed, else by cropping its frames.
///
/// The camera's own zoom is in every output, copies too; a crop is only in the program and in encoded tracks. The controls
/// are UVC's (UVC 1.5, 4.2.2.1.11 and 4.2.2.1.15), as V4L2 has them: `zoom_absolute` is a focal length, whose lowest value is
/// the widest view; `pan_absolute` and `tilt_absolute` are angles, positive to the right and up.
struct PlannedZoom {
    /// Controls to set on the camera; empty where it does not zoom or move by itself.
    private(set) var requests: [ControlRequest] = []
    /// The part of the zoom that is done by cropping.
    private(set) var cropped = Zoom.none
    /// A sentence for people; `nil` where nothing is zoomed or moved.
    private(set) var note: String?
    private let camera: CameraRole
    private let rotation: Rotation
    private let source: ProfileSource

    /// Decides who zooms and moves the camera.
    ///
    /// - Parameters:
    ///   - camera: The role with its zoom, pan and tilt.
    ///   - device: The camera with its controls.
    ///   - rotation: The clockwise rotation that makes its frames upright.
    ///   - source: The places of the profile's fields, for errors.
    /// - Throws: `ProfileError` for a factor that the camera's zoom does not reach, and for controls that the profile sets too.
    init(
        _ camera: CameraRole, _ device: CaptureDevice, rotation: Rotation, source: ProfileSource
    ) throws(ProfileError) {
        (self.camera, self.rotation, self.source) = (camera, rotation, source)
        let wish = camera.zoom
        guard wish != .none else { return }
        guard let requests = try Self.requests(camera, device.controls, rotation, source) else {
            cropped = wish
            if wish.factor > 1 {
                note =
                    "it is zoomed \(wish.factor)× by cropping, which shows fewer of its pixels, as it does not do so itself."
            }
            return
        }
        self.requests = requests
        let list = requests.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
        note = "it is zoomed and turned by the camera itself, in its copied tracks too (\(list))."
    }

    /// Checks that a crop leaves room for pan and tilt.
    ///
    /// - Throws: `ProfileError` where a frame is to be moved of which all is seen.
    func checkMoves(_ framing: Framing, in size: FrameSize) throws(ProfileError) {
        for (field, position, hasRoom) in [
            ("pan", cropped.pan, framing.canPan(in: size, rotation: rotation)),
            ("tilt", cropped.tilt, framing.canTilt(in: size, rotation: rotation)),
        ] where position != 0 && !hasRoom {
            throw source.error(
                at: "cameras.\(camera.role).\(field)",
                found:
                    "a move of a frame of which all is seen, and whose camera cannot be moved by its controls",
                expected: "a zoom above 1 or a crop beside it")
        }
    }

    /// The requests by which the camera zooms and moves itself.
    ///
    /// - Returns: `nil` where the camera lacks a control that is needed.
    private static func requests(
        _ camera: CameraRole, _ controls: [DeviceControl], _ rotation: Rotation, _ source: ProfileSource
    ) throws(ProfileError) -> [ControlRequest]? {
        // The camera's own axes: one that hangs turned looks up to look to the side.
        let (pan, tilt) =
            switch rotation {
            case .none: (camera.zoom.pan, camera.zoom.tilt)
            case .quarter: (-camera.zoom.tilt, camera.zoom.pan)
            case .half: (-camera.zoom.pan, -camera.zoom.tilt)
            case .threeQuarters: (camera.zoom.tilt, -camera.zoom.pan)
            }
        var requests: [ControlRequest] = []
        if camera.zoom.factor > 1 {
            // A range that starts at zero does not count the focal length, so that twice its value does not mean twice the zoom.
            guard let zoom = usable("zoom_absolute", controls), zoom.minimum > 0 else { return nil }
            let highest = Double(zoom.maximum) / Double(zoom.minimum)
            guard camera.zoom.factor <= highest else {
                throw source.error(
                    at: "cameras.\(camera.role).zoom", found: "“\(camera.zoom.factor)”",
                    expected:
                        "a number from 1 to \((highest * 100).rounded(.down) / 100), as far as its camera zooms"
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
                found: "a control that zoom, pan or tilt of the same camera sets", expected: "one of both")
        }
        return requests
    }

    private static func usable(_ name: String, _ controls: [DeviceControl]) -> DeviceControl? {
        controls.named(name).flatMap { $0.isReadOnly ? nil : $0 }
    }
}
