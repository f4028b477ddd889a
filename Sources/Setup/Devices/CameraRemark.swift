internal import Capture
public import Media

/// What a user says of one of the cameras, where the system says nothing or something wrong. It is remembered for that camera.
public struct CameraRemark: Sendable, Equatable {
    /// `nil` says nothing.
    public var position: CaptureDevice.Position?
    /// Turns its frames clockwise to be seen upright.
    public var mounting: Rotation?
    /// `builtIn` or `external`.
    public var type: CaptureDevice.DeviceType?

    public init(
        position: CaptureDevice.Position? = nil, mounting: Rotation? = nil,
        type: CaptureDevice.DeviceType? = nil
    ) {
        self.position = position
        self.mounting = mounting
        self.type = type
    }

    /// Remembers this of a camera, beside what was said of it before. Waits for the disk; not in a Swift task.
    ///
    /// - Parameter selector: A selector that fits exactly one camera that is there.
    /// - Returns: The camera as it is listed from now on, and a sentence for the user if what was remembered before could
    ///   not be read.
    /// - Throws: `DeviceError` when no or more than one camera fits; `StateFileError` when it cannot be written.
    public func remember(of selector: String) throws -> (camera: CaptureDevice, warning: String?) {
        try Self.change(selector) { memory, camera, present in
            memory.add(
                DeviceMemory.Remark(
                    identity: camera.identity, position: position, mounting: mounting, type: type),
                among: present)
        }
    }

    /// Forgets all that was said of a camera.
    ///
    /// - Parameter selector: As above.
    /// - Returns: The camera as it is listed from now on: as the system tells, and a warning as above.
    /// - Throws: As above.
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
        // As the user sees them: `position:front` is the one that was said to look there.
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
