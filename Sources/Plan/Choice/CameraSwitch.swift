public import Media

/// The rule of a front/back switch: it changes between the camera that looks at the user and the one that looks away.
///
/// An external camera counts as one that looks at the user, as most of them stand on the screen. Where no camera's position is
/// known, the switch goes through all cameras, one after the other.
public enum CameraSwitch {
    /// Finds the camera to switch to: from the front, or from a camera of unknown position, to the back; from the back to an
    /// external camera of unknown position, else to the front. Where no position is known: to the next camera in order, after
    /// the last to the first.
    ///
    /// - Parameters:
    ///   - current: The camera in use now.
    ///   - cameras: All cameras that are present, in the order of `CameraPreference.order`.
    ///   - taken: Cameras that play other roles and cannot be chosen.
    /// - Returns: A camera other than `current`: the first fitting one that can be used now, or else the first fitting one.
    /// - Throws: `SelectionRefusal.nowhere` where no camera fits.
    public static func next(
        after current: CaptureDevice, among cameras: [CaptureDevice], without taken: Set<DeviceIdentity> = []
    ) throws(SelectionRefusal) -> CaptureDevice {
        let others = cameras.filter {
            $0.mediaType == .video && $0.identity != current.identity && !taken.contains($0.identity)
        }
        func first(_ fits: (CaptureDevice) -> Bool) -> CaptureDevice? {
            let fitting = others.filter(fits)
            return fitting.first { $0.problem == nil } ?? fitting.first
        }
        if current.position == .unspecified, others.allSatisfy({ $0.position == .unspecified }),
            let next = inTurn(others, after: current, among: cameras)
        {
            return next
        }
        switch current.position {
        case .unspecified, .front:
            guard let back = first({ $0.position == .back }) else { throw .nowhere(to: .back) }
            return back
        case .back:
            let external = first { $0.deviceType == .external && $0.position == .unspecified }
            guard let next = external ?? first({ $0.position == .front }) else { throw .nowhere(to: .front) }
            return next
        }
    }

    /// The first of the other cameras that comes after the present one and can be used now, or else the first that comes after it.
    private static func inTurn(
        _ others: [CaptureDevice], after current: CaptureDevice, among cameras: [CaptureDevice]
    ) -> CaptureDevice? {
        let place = cameras.firstIndex { $0.identity == current.identity } ?? 0
        let turned = cameras[place...] + cameras[..<place]
        let next = turned.filter { camera in others.contains { $0.identity == camera.identity } }
        return next.first { $0.problem == nil } ?? next.first
    }
}
