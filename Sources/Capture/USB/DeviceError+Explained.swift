package import Media

extension DeviceError {
    /// The same failure with what the system can tell of it: who uses the node, why it may not be opened, who has the bus.
    ///
    /// Looks through proc and sysfs, which takes milliseconds. Not in a Swift task.
    ///
    /// - Parameters:
    ///   - node: That was opened.
    ///   - format: That was asked for, of a camera.
    ///   - offers: What else the camera offers.
    /// - Returns: With the reason filled in, as far as the system tells.
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
