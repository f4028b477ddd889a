public import Media

/// What a switch with two ends does: between the camera that looks at the user and the one that looks away.
///
/// An external camera stands for one that looks at the user: it stands on the screen more often than not.
public enum CameraSwitch {
    /// The camera after this one: from the front, or from one that looks anywhere, to the back; from the back to an external
    /// one that looks anywhere, else to the front.
    ///
    /// - Parameters:
    ///   - current: In use now.
    ///   - cameras: All that are there, in the order in which they are to be preferred.
    ///   - taken: Cameras that play other roles: not to be had.
    /// - Returns: Never `current`. Of several the first that can be used now, or else the first.
    /// - Throws: `nowhere` where there is none.
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
}
