internal import MulticamCapture
package import MulticamMedia
internal import MulticamPlan
package import MulticamSession
internal import MulticamVirtualDevices

/// Lists and sets the controls of one connected camera, and saves their values as presets.
///
/// ```swift
/// let controls = try CameraControls(of: "Studio Webcam")
/// let requests = try controls.requests(for: [(name: "focus_absolute", value: "40")])
/// for outcome in try controls.set(requests) where !outcome.matchesRequest { print(outcome.remark ?? "") }
/// ```
///
/// The camera may be in use by another process at the same time, even for recording. Every call accesses the
/// device and takes milliseconds: don't call this from a Swift task. A control keeps its value until the
/// camera is unplugged or resets itself. The `controls` of a profile are set each time the profile is used.
package struct CameraControls: Sendable {
    /// The camera that has these controls.
    package let device: CaptureDevice
    /// The synthetic camera, which exists for the lifetime of this value; `nil` for a real camera.
    private let synthetic: (any CameraSource)?
    private let present: [CaptureDevice]

    /// Finds the camera that matches a selector.
    ///
    /// - Parameter selector: A camera's selector as in a profile. `any` uses the first usable camera.
    /// - Throws: `SetupError.device` if no camera or several cameras match. `SetupError.usage` if the selector of a
    ///   synthetic camera is invalid.
    package init(of selector: String) throws(SetupError) {
        if VirtualSources.handles(selector) {
            do throws(VirtualDeviceError) {
                let source = try VirtualSources.camera(selector: selector, role: "camera")
                (synthetic, device, present) = (source, source.device, [source.device])
                return
            } catch {
                throw SetupError(error)
            }
        }
        synthetic = nil
        do throws(DeviceError) {
            let memory = DeviceStore.file?.read().content ?? DeviceStore()
            present = memory.applied(to: try CameraCatalog().cameras())
            if selector == "any", let first = present.first(where: { $0.problem == nil }) ?? present.first {
                device = first
            } else {
                device = try DeviceSelector.resolve(
                    DeviceSelector.withoutLinks(selector), kind: "camera", among: present)
            }
        } catch {
            throw .device(error)
        }
    }

    /// Returns all controls with their current values, in the driver's order.
    ///
    /// - Throws: `DeviceError` if the camera can't be opened or doesn't respond.
    package func all() throws(DeviceError) -> [DeviceControl] {
        if let synthetic { return try synthetic.readControls() }
        do {
            return try V4L2Device(path: device.node).controls()
        } catch {
            throw error.explained(node: device.node)
        }
    }

    /// Translates user input into control requests, and sorts them so that every request can be applied. This
    /// method doesn't set any control.
    ///
    /// - Parameter words: Names of controls, each with a number, a word such as `on`, or a menu item.
    /// - Returns: The requests to pass to `set`.
    /// - Throws: `DeviceError.control` if the camera doesn't support the control or the value, or if another
    ///   control blocks it.
    package func requests(
        for words: [(name: String, value: String)]
    ) throws(DeviceError) -> [ControlRequest] {
        try all().requests(for: words, of: device.node)
    }

    /// Sets controls in the given order and reads them back.
    ///
    /// - Returns: The outcome of each request.
    /// - Throws: `DeviceError` if the camera doesn't respond, or access is denied.
    package func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        if let synthetic { return try synthetic.setControls(requests) }
        do {
            return try V4L2Device(path: device.node).set(requests)
        } catch {
            throw error.explained(node: device.node)
        }
    }

    /// Sets all controls to their defaults. Controls that an automatic mode manages by default aren't set.
    ///
    /// - Returns: The outcome of each request.
    /// - Throws: `DeviceError` if the camera doesn't respond, or access is denied.
    package func reset() throws(DeviceError) -> [ControlOutcome] {
        try set(try all().resettingRequests)
    }

    // MARK: Presets

    private var presetStore: CameraPresets { CameraPresets(of: device, among: present) }

    /// Returns the names of this camera's presets, and a warning for the user if the file can't be read.
    package func presets() -> (names: [String], warning: String?) { presetStore.names() }

    /// Saves the current values of all settable controls as a preset, replacing an earlier preset with the same name.
    /// Blocks on disk I/O.
    ///
    /// - Returns: A warning for the user if earlier presets couldn't be read.
    /// - Throws: `DeviceError` if the camera doesn't respond. `StateFileError` if the preset can't be written.
    package func save(as name: String) throws -> String? { try presetStore.save(try all(), as: name) }

    /// Deletes a preset. Blocks on disk I/O.
    ///
    /// - Returns: A warning for the user if earlier presets couldn't be read.
    /// - Throws: `DeviceError` if the preset doesn't exist. `StateFileError` if the file can't be written.
    package func delete(_ name: String) throws -> String? { try presetStore.delete(name) }

    /// Returns the requests that restore a preset, in a valid order. This method doesn't set any control.
    ///
    /// - Throws: `DeviceError.control` if the preset doesn't exist.
    package func requests(ofPreset name: String) throws(DeviceError) -> [ControlRequest] {
        try presetStore.requests(of: name)
    }
}
