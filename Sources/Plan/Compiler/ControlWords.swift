public import Media

extension [DeviceControl] {
    /// Requests for the controls that a person names, in an order in which they can be carried out, whatever the words' order.
    ///
    /// - Parameters:
    ///   - words: A control's name, and a number, a word such as `on`, or a menu's item.
    ///   - device: The device that has these controls, for error messages.
    /// - Returns: One request for each named control.
    /// - Throws: `DeviceError` with the reason `control`, for a name or value that is not among these, or that another control
    ///   keeps from being set.
    public func requests(
        for words: [(name: String, value: String)], of device: String
    ) throws(DeviceError) -> [ControlRequest] {
        func failure(_ name: String, _ fault: ControlFault) -> DeviceError {
            DeviceError(device: device, operation: "setting \(name.printable())", reason: .control(fault))
        }
        var requests: [ControlRequest] = []
        for (name, word) in words {
            guard let control = named(name) else { throw failure(name, .unknown(name, names: map(\.name))) }
            do throws(ControlFault) {
                requests.append(ControlRequest(name: name, value: try control.value(of: word)))
            } catch {
                throw failure(name, error)
            }
        }
        if let (name, fault) = fault(in: requests) { throw failure(name, fault) }
        return ControlGovernor.ordered(requests)
    }
}
