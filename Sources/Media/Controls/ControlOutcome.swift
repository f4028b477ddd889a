/// The result of setting a control: the value that was read back, or why it was not set.
public struct ControlOutcome: Sendable, Equatable {
    /// The request that was carried out.
    public let request: ControlRequest
    /// The value that the camera has afterwards; `nil` where it could not be read.
    public let value: Int64?
    /// Why the camera did not take the value; `nil` where it did.
    public let fault: ControlFault?

    /// Makes a result from the value that was read back and the fault.
    public init(request: ControlRequest, value: Int64?, fault: ControlFault? = nil) {
        self.request = request
        self.value = value
        self.fault = fault
    }

    /// Whether the camera has exactly the value that was asked for.
    public var isAsAsked: Bool { fault == nil && value == request.value }

    /// A sentence for the user, without the camera's name, about what is not as asked; `nil` where all is.
    public var remark: String? {
        if let fault { return "\(request.name) is not \(request.value): \(fault)" }
        guard let value else {
            return "\(request.name) was set to \(request.value), but cannot be read back."
        }
        guard value != request.value else { return nil }
        return "\(request.name) was set to \(request.value), and the camera made \(value) of it."
    }
}
