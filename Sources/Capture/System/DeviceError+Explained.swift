import Media

extension DeviceError {
    /// The same failure with what the system can tell of it: who uses the node, which group may, which controller is full.
    func explained(node: String, controller: String?) -> DeviceError {
        let reason: Reason =
            switch reason {
            case .busy(nil): .busy(by: NodeOwners.holder(of: node))
            case .noPermission(nil): .noPermission(group: NodeOwners.groupName(of: node))
            case .noBandwidth(nil): .noBandwidth(controller: controller)
            default: self.reason
            }
        return DeviceError(device: device, operation: operation, reason: reason)
    }
}
