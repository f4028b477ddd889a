internal import Capture
internal import Foundation
internal import Glibc
public import Media
internal import Plan
internal import VirtualDevices

/// The controls of one camera that is there: what it has, setting them, and what is kept of them under names.
///
///     let controls = try CameraControls(of: "Studio Webcam")
///     let requests = try controls.requests(for: [(name: "focus_absolute", value: "40")])
///     for outcome in try controls.set(requests) where !outcome.isAsAsked { print(outcome.remark ?? "") }
///
/// A camera may be used by another program, or record, meanwhile. Everything asks the device, which takes milliseconds: not in
/// a Swift task. What is set stays until the camera is unplugged, or forgets it by itself; a profile's `controls` are kept.
public struct CameraControls: Sendable {
    public let device: CaptureDevice
    /// Of a synthetic camera, which lives as long as this.
    private let synthetic: (any CameraSource)?
    private let present: [CaptureDevice]

    /// - Parameter selector: As a profile names cameras; `any` is the first that can be used.
    /// - Throws: When no or more than one camera fits, or a synthetic one makes no sense.
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

    /// All controls as they are now, as the driver orders them.
    public func all() throws(DeviceError) -> [DeviceControl] {
        if let synthetic { return try synthetic.controls() }
        do {
            return try V4L2Device(path: device.node).controls()
        } catch {
            throw error.explained(node: device.node)
        }
    }

    /// What a person's words ask for, in an order in which it can be carried out, whatever the order of the words. Nothing is
    /// set.
    ///
    /// - Parameter words: A control's name, and a number, a word such as `on`, or a menu's item.
    /// - Returns: To be given to `set`.
    /// - Throws: `DeviceError.control` for a name or value that the camera does not have, or that another control keeps from
    ///   being set.
    public func requests(
        for words: [(name: String, value: String)]
    ) throws(DeviceError) -> [ControlRequest] {
        try all().requests(for: words, of: device.node)
    }

    /// Sets controls in this order and reads them back.
    ///
    /// - Returns: What came of each.
    /// - Throws: When the camera does not answer, or may not be used.
    public func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        if let synthetic { return try synthetic.set(requests) }
        do {
            return try V4L2Device(path: device.node).set(requests)
        } catch {
            throw error.explained(node: device.node)
        }
    }

    /// Sets all controls to their defaults; those that an automatic one governs then are left to it.
    public func reset() throws(DeviceError) -> [ControlOutcome] {
        try set(try all().resettingRequests)
    }

    // MARK: Presets

    /// The names under which something is kept of this camera, with a sentence for the user if it could not be read.
    public func presets() -> (names: [String], warning: String?) {
        guard let (kept, warning) = ControlPresets.file?.read() else { return ([], nil) }
        return (kept.presets(of: device, among: present).map(\.name), warning)
    }

    /// Keeps what can be set of this camera, as it is now, under a name; what was kept there before is replaced. Waits for the
    /// disk.
    ///
    /// - Returns: A sentence for the user if what was kept before could not be read.
    public func save(as name: String) throws -> String? {
        let values = try all().keepingRequests.map {
            ControlPresets.Value(control: $0.name, value: $0.value)
        }
        return try Self.writableFile().update { kept in
            kept.save(values, as: name, of: device, among: present)
        }
    }

    /// Forgets what is kept under a name.
    ///
    /// - Returns: As `save`.
    /// - Throws: `DeviceError` where nothing is.
    public func forget(_ name: String) throws -> String? {
        _ = try preset(name)
        return try Self.writableFile().update { $0.forget(name, of: device, among: present) }
    }

    /// What is kept under a name, in an order in which it can be set. Nothing is set.
    ///
    /// - Throws: Where nothing is.
    public func requests(ofPreset name: String) throws(DeviceError) -> [ControlRequest] {
        try preset(name).values.map {
            ControlRequest(name: $0.control, value: $0.value, origin: .preset)
        }
    }

    private func preset(_ name: String) throws(DeviceError) -> ControlPresets.Preset {
        let own = ControlPresets.file?.read().content.presets(of: device, among: present) ?? []
        guard let found = own.first(where: { $0.name == name }) else {
            throw DeviceError(
                device: device.node, operation: "looking for the preset “\(name.printable())”",
                reason: .control(.noPreset(own.map(\.name))))
        }
        return found
    }

    private static func writableFile() throws(StateFileError) -> StateFile<ControlPresets> {
        guard let file = ControlPresets.file else {
            throw StateFileError(
                path: "XDG_STATE_HOME", subject: ControlPresets.subject, operation: "keep", errno: ENOENT)
        }
        return file
    }
}
