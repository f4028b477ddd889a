internal import Media
internal import Profiles

/// Who zooms a role's camera, and moves it: the camera by its controls where it has all that are needed, else its frame is cropped.
///
/// What the camera does itself is in all that is made of it, copies too; a crop is in the program and in encoded tracks. The
/// controls are UVC's (UVC 1.5, 4.2.2.1.11 and 4.2.2.1.15), as V4L2 has them: `zoom_absolute` is a focal length, of which the
/// least is the widest view; `pan_absolute` and `tilt_absolute` are angles, positive to the right and up.
struct PlannedZoom {
    /// Controls to set; none where the camera does nothing.
    private(set) var requests: [ControlRequest] = []
    /// What is left to cropping.
    private(set) var cropped = Zoom.none
    /// For people: a sentence; `nil` where nothing is zoomed or moved.
    private(set) var note: String?
    private let camera: CameraRole
    private let rotation: Rotation
    private let source: ProfileSource

    /// - Parameters:
    ///   - camera: With its wishes.
    ///   - device: With its controls.
    ///   - rotation: Turns its frames clockwise to be seen upright.
    ///   - source: Where the profile's fields stand.
    /// - Throws: For a factor that the camera's zoom does not reach, and for controls that the profile sets as well.
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

    /// - Throws: Where a frame of which all is seen is to be moved.
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
            // From zero on it counts something else than the focal length, so that nobody knows what twice is.
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
