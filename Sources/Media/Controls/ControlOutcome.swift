/// What came of a request: the value that was read back, or why there is none.
public struct ControlOutcome: Sendable, Equatable {
    public let request: ControlRequest
    /// As the camera has it afterwards; `nil` where it could not be read.
    public let value: Int64?
    /// Why it was not taken.
    public let fault: ControlFault?

    public init(request: ControlRequest, value: Int64?, fault: ControlFault? = nil) {
        self.request = request
        self.value = value
        self.fault = fault
    }

    /// Whether the camera has what was asked for.
    public var isAsAsked: Bool { fault == nil && value == request.value }

    /// What a person should know, as a sentence without the camera's name; `nil` where all is as asked.
    public var remark: String? {
        if let fault { return "\(request.name) is not \(request.value): \(fault)" }
        guard let value else {
            return "\(request.name) was set to \(request.value), but cannot be read back."
        }
        guard value != request.value else { return nil }
        return "\(request.name) was set to \(request.value), and the camera made \(value) of it."
    }
}
