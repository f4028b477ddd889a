package import Media

extension DeviceError {
    /// Adds to a failure what the system can tell: who uses the node, why it may not be opened, who has the bus's
    /// bandwidth.
    ///
    /// Reads proc and sysfs, which takes milliseconds. Must not be called in a Swift task.
    ///
    /// - Parameters:
    ///   - node: The node that was opened.
    ///   - format: The format that was asked for, of a camera.
    ///   - offers: The formats that the camera offers.
    /// - Returns: The error with its reason filled in, as far as the system tells.
    package func explained(
        node: String, asking format: VideoFormat? = nil, offers: [OfferedFormat] = []
    ) -> DeviceError {
        let reason: Reason
        switch self.reason {
        case .busy(nil): reason = .busy(by: NodeOwners.holder(of: node))
        case .noPermission(nil):
            let permissions = NodePermissions(of: node)
            reason = .noPermission(
                permissions?.obstacle(to: .current, inContainer: Container.isAround()))
        case .noBandwidth(let shortage) where shortage.controller == nil:
            reason = .noBandwidth(
                USBShortage(node: node, asking: format, offers: offers).shortage ?? shortage)
        default: reason = self.reason
        }
        return DeviceError(device: device, operation: operation, reason: reason)
    }
}
