internal import CLinux
internal import FileSystem
import Glibc
public import Media

extension V4L2Device {
    /// Returns the controls that have a number as value, with their present values, as the driver orders them.
    public func controls() -> [DeviceControl] {
        adjustables().map(\.control)
    }

    /// Sets one control and reads it back.
    ///
    /// - Parameters:
    ///   - name: Name in snake case, as `controls()` gives it.
    ///   - value: Value in the control's range and on its steps.
    /// - Returns: The value that the camera has now. Some cameras round.
    /// - Throws: `DeviceError.control` for a name, value or moment that the camera does not take.
    @discardableResult
    public func set(control name: String, value: Int64) throws(DeviceError) -> Int64 {
        let outcome = try set([ControlRequest(name: name, value: value)])[0]
        if let fault = outcome.fault { throw refusal(name, fault) }
        return outcome.value ?? value
    }

    /// Sets controls in the given order, and reads them back when all are set: some cameras change one with another.
    ///
    /// - Parameter requests: Controls with their new values.
    /// - Returns: The outcome of each request, in the same order.
    /// - Throws: `DeviceError` when the device does not answer any more.
    public func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        guard !requests.isEmpty else { return [] }
        let all = adjustables()
        let controls = all.map(\.control)
        var faults: [ControlFault?] = []
        for request in requests {
            guard let found = all.first(where: { $0.control.name == request.name }) else {
                faults.append(.unknown(request.name, names: controls.map(\.name)))
                continue
            }
            faults.append(try fault(in: request, to: found, beside: requests, of: controls))
        }
        return zip(requests, faults).map { request, fault in
            let adjusted = all.first { $0.control.name == request.name }
            return ControlOutcome(request: request, value: adjusted.flatMap { value(of: $0) }, fault: fault)
        }
    }

    /// Turns the fault of one control into an error of this device.
    func refusal(_ name: String, _ fault: ControlFault) -> DeviceError {
        DeviceError(device: path, operation: "setting \(name.printable())", reason: .control(fault))
    }

    /// Sets one control.
    ///
    /// - Returns: The reason why it was not taken; `nil` where it was.
    private func fault(
        in request: ControlRequest, to found: Adjustable, beside requests: [ControlRequest],
        of controls: [DeviceControl]
    ) throws(DeviceError) -> ControlFault? {
        do throws(ControlFault) {
            try found.control.check(request.value)
        } catch {
            return error
        }
        if linux_set_control(descriptor.number, found.id, found.isWide ? 1 : 0, request.value) == 0 {
            return nil
        }
        let number = errno
        // uvcvideo and the control framework refuse a manual control while the automatic one is on; a camera that
        // does so itself says "wrong state", which uvcvideo passes on as EILSEQ.
        if [EACCES, EBUSY, EILSEQ].contains(number) {
            return controls.governing(request.name, beside: requests) ?? .governed(by: nil, manual: nil)
        }
        // The camera answers with an error, as many do for values inside the range that they themselves tell.
        if [EIO, EPIPE, ERANGE, EINVAL].contains(number), isAlive { return .refused(request.value) }
        throw DeviceError(device: path, operation: "VIDIOC_S_EXT_CTRLS \(request.name)", errno: number)
    }

    private func value(of adjustable: Adjustable) -> Int64? {
        var value: Int64 = 0
        guard linux_get_control(descriptor.number, adjustable.id, adjustable.isWide ? 1 : 0, &value) == 0
        else { return nil }
        return Self.read(value, adjustable.control.kind)
    }

    /// Corrects a read value: the driver hands over a mask of 32 bits as a signed number, though it gives its maximum
    /// without a sign.
    private static func read(_ value: Int64, _ kind: DeviceControl.Kind) -> Int64 {
        kind == .bitmask ? value & 0xFFFF_FFFF : value
    }

    /// The side of the computer at which the camera sits, by `V4L2_CID_CAMERA_ORIENTATION`.
    func position() -> CaptureDevice.Position {
        var value: Int64 = 0
        guard linux_get_control(descriptor.number, linux_CID_CAMERA_ORIENTATION, 0, &value) == 0 else {
            return .unspecified
        }
        switch value {
        case Int64(V4L2_CAMERA_ORIENTATION_FRONT): return .front
        case Int64(V4L2_CAMERA_ORIENTATION_BACK): return .back
        default: return .unspecified
        }
    }

    /// The clockwise rotation that turns the camera's frames upright, by `V4L2_CID_CAMERA_SENSOR_ROTATION`, which
    /// counts the correction counter-clockwise (kernel documentation, ext-ctrls-camera); `nil` where the camera does
    /// not say.
    func mounting() -> Rotation? {
        var value: Int64 = 0
        guard
            linux_get_control(descriptor.number, linux_CID_CAMERA_SENSOR_ROTATION, 0, &value) == 0,
            (0..<360).contains(value)
        else { return nil }
        return Rotation(counterclockwiseDegrees: Int(value))
    }

    /// Whether the device still answers; it does not when it was unplugged.
    var isAlive: Bool {
        var raw = v4l2_capability()
        return answers(linux_VIDIOC_QUERYCAP, &raw)
    }

    /// A control with the driver's identifier and width.
    private struct Adjustable {
        let control: DeviceControl
        let id: UInt32
        let isWide: Bool
    }

    private func adjustables() -> [Adjustable] {
        var found: [Adjustable] = []
        var query = v4l2_query_ext_ctrl()
        // The driver answers with the next higher id; a limit guards against one that answers the same for ever.
        for _ in 0..<1024 {
            let previous = query.id & ~linux_CTRL_FLAG_NEXT_CTRL
            query = v4l2_query_ext_ctrl()
            query.id = previous | linux_CTRL_FLAG_NEXT_CTRL
            guard answers(linux_VIDIOC_QUERY_EXT_CTRL, &query), query.id > previous else { break }
            if let adjustable = adjustable(query) { found.append(adjustable) }
        }
        return found
    }

    private func adjustable(_ query: v4l2_query_ext_ctrl) -> Adjustable? {
        let type = v4l2_ctrl_type(rawValue: query.type)
        let numbers = [
            V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_TYPE_BOOLEAN, V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU,
            V4L2_CTRL_TYPE_INTEGER64, V4L2_CTRL_TYPE_BITMASK,
        ]
        let unusable = UInt32(V4L2_CTRL_FLAG_DISABLED) | UInt32(V4L2_CTRL_FLAG_WRITE_ONLY)
        guard numbers.contains(type), query.flags & unusable == 0, query.elems <= 1 else { return nil }
        let isWide = type == V4L2_CTRL_TYPE_INTEGER64
        var value = query.default_value
        // A camera that does not answer for one control still has the others.
        if linux_get_control(descriptor.number, query.id, isWide ? 1 : 0, &value) != 0 {
            value = query.default_value
        }
        let control = DeviceControl(
            name: ControlName.snakeCase(CText.text(of: query.name)), kind: Self.kind(type),
            value: Self.read(value, Self.kind(type)),
            minimum: query.minimum,
            maximum: query.maximum, step: Int64(clamping: query.step), defaultValue: query.default_value,
            menu: menu(query, type), isReadOnly: query.flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) != 0,
            isInactive: query.flags & UInt32(V4L2_CTRL_FLAG_INACTIVE) != 0,
            isVolatile: query.flags & UInt32(V4L2_CTRL_FLAG_VOLATILE) != 0)
        return Adjustable(control: control, id: query.id, isWide: isWide)
    }

    private static func kind(_ type: v4l2_ctrl_type) -> DeviceControl.Kind {
        switch type {
        case V4L2_CTRL_TYPE_BOOLEAN: .boolean
        case V4L2_CTRL_TYPE_MENU: .menu
        case V4L2_CTRL_TYPE_INTEGER_MENU: .integerMenu
        case V4L2_CTRL_TYPE_BITMASK: .bitmask
        default: .integer
        }
    }

    private func menu(_ query: v4l2_query_ext_ctrl, _ type: v4l2_ctrl_type) -> [Int64: String] {
        guard type == V4L2_CTRL_TYPE_MENU || type == V4L2_CTRL_TYPE_INTEGER_MENU, query.minimum >= 0,
            query.maximum < 256, query.minimum <= query.maximum
        else { return [:] }
        var items: [Int64: String] = [:]
        for index in query.minimum...query.maximum {
            var number: Int64 = 0
            var name: [CChar] = Array(repeating: 0, count: 32)
            // Indices without an item are choices that this camera does not have.
            guard linux_menu_item(descriptor.number, query.id, UInt32(index), &name, &number) == 0 else {
                continue
            }
            let text = name.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            items[index] = type == V4L2_CTRL_TYPE_MENU ? text.printable() : String(number)
        }
        return items
    }
}
