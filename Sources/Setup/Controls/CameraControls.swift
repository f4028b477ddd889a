internal import Capture
public import Media
internal import Plan
internal import VirtualDevices

/// The controls of one connected camera: lists them, sets them, and stores their values under names.
///
///     let controls = try CameraControls(of: "Studio Webcam")
///     let requests = try controls.requests(for: [(name: "focus_absolute", value: "40")])
///     for outcome in try controls.set(requests) where !outcome.isAsAsked { print(outcome.remark ?? "") }
///
/// Another program may use the camera, or record from it, meanwhile. Every call asks the device, which takes milliseconds: do not
/// call it in a Swift task. A value lasts until the camera is unplugged or resets itself; a profile's `controls` are set each
/// time.
public struct CameraControls: Sendable {
    /// The camera whose controls these are.
    public let device: CaptureDevice
    /// The synthetic camera, which lives as long as this value; `nil` for a real camera.
    private let synthetic: (any CameraSource)?
    private let present: [CaptureDevice]

    /// Finds the camera that a selector names.
    ///
    /// - Parameter selector: A camera's selector as in a profile; `any` takes the first usable camera.
    /// - Throws: `SetupError.device` when no camera or several fit, `SetupError.usage` when a synthetic camera's selector is
    ///   invalid.
    public init(of selector: String) throws(SetupError) {
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
            let memory = DeviceMemory.file?.read().content ?? DeviceMemory()
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

    /// All controls with their present values, in the driver's order.
    ///
    /// - Throws: `DeviceError` when the camera cannot be opened or does not answer.
    public func all() throws(DeviceError) -> [DeviceControl] {
        if let synthetic { return try synthetic.controls() }
        do {
            return try V4L2Device(path: device.node).controls()
        } catch {
            throw error.explained(node: device.node)
        }
    }

    /// Translates a person's words into requests, sorted so that each can be carried out. Sets nothing.
    ///
    /// - Parameter words: Control names, each with a number, a word such as `on`, or a menu item.
    /// - Returns: The requests to pass to `set`.
    /// - Throws: `DeviceError.control` when the camera lacks the control or the value, or when another control blocks it.
    public func requests(
        for words: [(name: String, value: String)]
    ) throws(DeviceError) -> [ControlRequest] {
        try all().requests(for: words, of: device.node)
    }

    /// Sets controls in the given order and reads them back.
    ///
    /// - Returns: The outcome of each request.
    /// - Throws: `DeviceError` when the camera does not answer, or access is denied.
    public func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        if let synthetic { return try synthetic.set(requests) }
        do {
            return try V4L2Device(path: device.node).set(requests)
        } catch {
            throw error.explained(node: device.node)
        }
    }

    /// Sets all controls to their defaults. Controls that an automatic mode then governs are left to it.
    ///
    /// - Returns: The outcome of each request.
    /// - Throws: `DeviceError` when the camera does not answer, or access is denied.
    public func reset() throws(DeviceError) -> [ControlOutcome] {
        try set(try all().resettingRequests)
    }

    // MARK: Presets

    private var kept: CameraPresets { CameraPresets(of: device, among: present) }

    /// The names of this camera's stored presets, and a sentence for the user when the file cannot be read.
    public func presets() -> (names: [String], warning: String?) { kept.names() }

    /// Stores the present values of all settable controls as a preset, and replaces an earlier one of that name. Waits for the
    /// disk.
    ///
    /// - Returns: A sentence for the user when earlier presets could not be read.
    /// - Throws: `DeviceError` when the camera does not answer, `StateFileError` when the preset cannot be written.
    public func save(as name: String) throws -> String? { try kept.save(try all(), as: name) }

    /// Deletes a preset. Waits for the disk.
    ///
    /// - Returns: A sentence for the user when earlier presets could not be read.
    /// - Throws: `DeviceError` when there is no preset of that name, `StateFileError` when the file cannot be written.
    public func forget(_ name: String) throws -> String? { try kept.forget(name) }

    /// The requests that restore a preset, in an order in which they can be set. Sets nothing.
    ///
    /// - Throws: `DeviceError.control` when there is no preset of that name.
    public func requests(ofPreset name: String) throws(DeviceError) -> [ControlRequest] {
        try kept.requests(of: name)
    }
}
