internal import CMulticamLinux
import Glibc
package import MulticamMedia
internal import MulticamSystem

extension V4L2Device {
    /// Returns all controls with numeric values, in driver order, with their current values.
    package func controls() -> [DeviceControl] {
        adjustables().map(\.control)
    }

    /// Sets one control and reads it back.
    ///
    /// - Parameters:
    ///   - name: Name in snake case, as returned by `controls()`.
    ///   - value: Value within the control's range, on one of its steps.
    /// - Returns: The value that the camera applied. Some cameras round values.
    /// - Throws: `DeviceError.control` if the camera rejects the name or value, or can't set the control now.
    @discardableResult
    package func set(control name: String, value: Int64) throws(DeviceError) -> Int64 {
        let outcome = try set([ControlRequest(name: name, value: value)])[0]
        if let fault = outcome.fault { throw controlError(name, fault) }
        return outcome.value ?? value
    }

    /// Sets controls in the given order. Reads the controls back after all of them are set, because some cameras change
    /// one control when another is set.
    ///
    /// - Parameter requests: Controls with their new values.
    /// - Returns: The outcome of each request, in the same order.
    /// - Throws: `DeviceError` if the device no longer responds.
    package func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        guard !requests.isEmpty else { return [] }
        let all = adjustables()
        let controls = all.map(\.control)
        var faults: [ControlFault?] = []
        for request in requests {
            guard let found = all.first(where: { $0.control.name == request.name }) else {
                faults.append(.unknownControl(request.name, names: controls.map(\.name)))
                continue
            }
            faults.append(try apply(in: request, to: found, beside: requests, of: controls))
        }
        return zip(requests, faults).map { request, fault in
            let adjusted = all.first { $0.control.name == request.name }
            return ControlOutcome(request: request, value: adjusted.flatMap { value(of: $0) }, fault: fault)
        }
    }

    /// Converts a control fault to an error for this device.
    func controlError(_ name: String, _ fault: ControlFault) -> DeviceError {
        DeviceError(device: path, operation: "setting \(name.printable())", reason: .control(fault))
    }

    /// Sets one control.
    ///
    /// - Returns: The reason why the control was rejected; `nil` if it was set.
    private func apply(
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
        // uvcvideo and the control framework reject a manual control while the automatic one is enabled. If the camera
        // itself rejects the control, it reports "wrong state", which uvcvideo maps to EILSEQ.
        if [EACCES, EBUSY, EILSEQ].contains(number) {
            return controls.governingFault(for: request.name, alongside: requests)
                ?? .governed(by: nil, manual: nil)
        }
        // The camera rejects the value. Many cameras reject even values within the range that they report.
        if [EIO, EPIPE, ERANGE, EINVAL].contains(number), isAlive { return .refused(request.value) }
        throw DeviceError(device: path, operation: "VIDIOC_S_EXT_CTRLS \(request.name)", errno: number)
    }

    private func value(of adjustable: Adjustable) -> Int64? {
        var value: Int64 = 0
        guard linux_get_control(descriptor.number, adjustable.id, adjustable.isWide ? 1 : 0, &value) == 0
        else { return nil }
        return Self.corrected(value, adjustable.control.kind)
    }

    /// Corrects a value read from the driver. Drivers return a 32-bit mask as a signed number, but its
    /// maximum as an unsigned number.
    private static func corrected(_ value: Int64, _ kind: DeviceControl.Kind) -> Int64 {
        kind == .bitmask ? value & 0xFFFF_FFFF : value
    }

    /// Returns the camera's position on the computer, from `V4L2_CID_CAMERA_ORIENTATION`.
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

    /// Returns the clockwise rotation that turns frames upright; `nil` if the camera doesn't provide it. The value
    /// comes from `V4L2_CID_CAMERA_SENSOR_ROTATION`, which counts counterclockwise (kernel documentation,
    /// ext-ctrls-camera).
    func mounting() -> Rotation? {
        var value: Int64 = 0
        guard
            linux_get_control(descriptor.number, linux_CID_CAMERA_SENSOR_ROTATION, 0, &value) == 0,
            (0..<360).contains(value)
        else { return nil }
        return Rotation(counterclockwiseDegrees: Int(value))
    }

    /// Whether the device still responds. An unplugged device doesn't respond.
    var isAlive: Bool {
        var raw = v4l2_capability()
        return tryCall(linux_VIDIOC_QUERYCAP, &raw)
    }

    /// A control with its V4L2 ID and the width of its value.
    private struct Adjustable {
        let control: DeviceControl
        let id: UInt32
        let isWide: Bool
    }

    private func adjustables() -> [Adjustable] {
        var found: [Adjustable] = []
        var query = v4l2_query_ext_ctrl()
        // The driver returns the control with the next higher ID. The limit protects against drivers that
        // return the same ID forever.
        for _ in 0..<1024 {
            let previous = query.id & ~linux_CTRL_FLAG_NEXT_CTRL
            query = v4l2_query_ext_ctrl()
            query.id = previous | linux_CTRL_FLAG_NEXT_CTRL
            guard tryCall(linux_VIDIOC_QUERY_EXT_CTRL, &query), query.id > previous else { break }
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
        // If one control can't be read, the other controls are still listed.
        if linux_get_control(descriptor.number, query.id, isWide ? 1 : 0, &value) != 0 {
            value = query.default_value
        }
        let control = DeviceControl(
            name: ControlName.snakeCase(CText.text(of: query.name)), kind: Self.kind(type),
            value: Self.corrected(value, Self.kind(type)),
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
            // A menu index without an item is a choice that this camera doesn't offer.
            guard linux_menu_item(descriptor.number, query.id, UInt32(index), &name, &number) == 0 else {
                continue
            }
            let text = name.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            items[index] = type == V4L2_CTRL_TYPE_MENU ? text.printable() : String(number)
        }
        return items
    }
}

/// Converts the control names of drivers to snake case.
enum ControlName {
    /// Returns the name as v4l2-ctl prints it: lowercase letters and digits, separated by `_`.
    ///
    /// "Focus, Automatic Continuous" becomes `focus_automatic_continuous`.
    static func snakeCase(_ driversName: String) -> String {
        var result = ""
        var gap = false
        for byte in driversName.utf8 {
            let isLetter = (65...90).contains(byte) || (97...122).contains(byte)
            if isLetter || (48...57).contains(byte) {
                if gap, !result.isEmpty { result.append("_") }
                gap = false
                result.append(Character(UnicodeScalar((65...90).contains(byte) ? byte + 32 : byte)))
            } else {
                gap = true
            }
        }
        return result
    }
}
