internal import Capture
public import Media

/// A user's statement on one camera, for what the system does not report or reports wrongly. It is remembered for that camera.
public struct CameraRemark: Sendable, Equatable {
    /// Where the camera faces; `nil` states nothing.
    public var position: CaptureDevice.Position?
    /// The clockwise rotation that shows the camera's frames upright; `nil` states nothing.
    public var mounting: Rotation?
    /// `builtIn` or `external`; `nil` states nothing.
    public var type: CaptureDevice.DeviceType?

    /// Creates a remark; each `nil` leaves the earlier statement as it is.
    public init(
        position: CaptureDevice.Position? = nil, mounting: Rotation? = nil,
        type: CaptureDevice.DeviceType? = nil
    ) {
        self.position = position
        self.mounting = mounting
        self.type = type
    }

    /// Remembers this remark for a camera, merged with earlier ones. Waits for the disk; do not call it in a Swift task.
    ///
    /// - Parameter selector: A selector that fits exactly one connected camera.
    /// - Returns: The camera as it is listed from now on, and a sentence for the user when earlier remarks could not be read.
    /// - Throws: `DeviceError` when no camera or several fit; `StateFileError` when the file cannot be written.
    public func remember(of selector: String) throws -> (camera: CaptureDevice, warning: String?) {
        try Self.change(selector) { memory, camera, present in
            memory.add(
                DeviceMemory.Remark(
                    identity: camera.identity, position: position, mounting: mounting, type: type),
                among: present)
        }
    }

    /// Deletes all remarks on a camera. Waits for the disk; do not call it in a Swift task.
    ///
    /// - Parameter selector: A selector that fits exactly one connected camera.
    /// - Returns: The camera as the system reports it, and a sentence for the user when earlier remarks could not be read.
    /// - Throws: `DeviceError` when no camera or several fit; `StateFileError` when the file cannot be written.
    public static func forget(_ selector: String) throws -> (camera: CaptureDevice, warning: String?) {
        try change(selector) { memory, camera, present in
            _ = memory.forget(camera.identity, among: present)
        }
    }

    private static func change(
        _ selector: String, _ change: (inout DeviceMemory, CaptureDevice, [CaptureDevice]) -> Void
    ) throws -> (camera: CaptureDevice, warning: String?) {
        guard let file = DeviceMemory.file else {
            throw DeviceError(
                device: selector, operation: "remember",
                reason: .other("neither XDG_STATE_HOME nor HOME names a folder for it. Set one of them."))
        }
        let present = try CameraCatalog().cameras()
        var memory = file.read().content
        // The selector means the cameras as the user sees them: `position:front` is the one with that remark.
        let camera = try DeviceSelector.resolve(
            DeviceSelector.withoutLinks(selector), kind: "camera", among: memory.applied(to: present))
        let warning = try file.update { stored in
            change(&stored, camera, present)
            memory = stored
        }
        let told = memory.applied(to: present).first { $0.identity == camera.identity }
        return (told ?? camera, warning)
    }
}
