package import Media
internal import Profiles

/// Another camera in the place of one that a role has.
extension RunningPlan {
    /// The format that another camera for a role should deliver: that of the present one as far as it can, and its kind where
    /// frames are copied.
    ///
    /// - Parameter role: The role.
    /// - Returns: The present format, and whether the other camera has to deliver the same kind of frames.
    /// - Throws: `SessionChangeError` where there is no such camera, or it is off.
    package func formatToExchange(of role: String) throws(SessionChangeError) -> (
        format: VideoFormat, isCopied: Bool
    ) {
        try checkPresence(ofCamera: role)
        guard let format = format(of: role) else {
            preconditionFailure("a camera that is there is in the plan")
        }
        guard !devices.disabled.contains(role) else {
            throw SessionChangeError("camera \(role) is off: switch it on first with `enable \(role)`.")
        }
        return (format, runningTracks(of: role).contains { $0.mode == .copy })
    }

    /// Gives a role another camera. Tracks, the program and its layout go on.
    ///
    /// - Parameters:
    ///   - camera: The other camera, under the same role, in the format in which it was opened.
    ///   - offers: The formats that it can change to; `nil` where it cannot change.
    /// - Throws: `SessionChangeError` where there is no such camera, or the other one does not fit the role's tracks; nothing
    ///   changes then.
    package mutating func exchange(
        _ camera: PlannedCamera, offers: [OfferedFormat]?
    ) throws(SessionChangeError) {
        let role = camera.role
        let (present, isCopied) = try formatToExchange(of: role)
        guard !isCopied || camera.format.pixel == present.pixel else {
            throw SessionChangeError(
                "camera \(role) is copied as \(present.pixel.rawValue), and “\(camera.identity.name.printable())” delivers "
                    + "\(camera.format.pixel.rawValue): name one that delivers \(present.pixel.rawValue), or end the track first with "
                    + "`end \(role)`.")
        }
        guard let index = plan.cameras.firstIndex(where: { $0.role == role }) else { return }
        plan.cameras[index].takePlace(of: camera)
        devices.formats[role] = camera.format
        devices.offers[role] = offers
    }
}

extension PlannedCamera {
    /// Takes what a camera brings along itself; what the role shows of its frames stays.
    mutating func takePlace(of camera: PlannedCamera) {
        (selector, identity, usb) = (camera.selector, camera.identity, camera.usb)
        (latency, latencySource, controls) = (camera.latency, camera.latencySource, camera.controls)
    }
}
