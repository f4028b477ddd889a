package import Media

extension USBTopology {
    /// Combines what sysfs shows of cameras, present streams and free ports.
    ///
    /// - Parameters:
    ///   - tree: The connected devices.
    ///   - nodes: The video nodes of the same sysfs.
    ///   - present: The cameras with their identities.
    ///   - processes: Where proc(5) is mounted.
    ///   - learned: Returns the known bandwidths of a camera's streams.
    package init(
        _ tree: USBTree, nodes: [VideoNode], cameras present: [CaptureDevice], processes: String = "/proc",
        learned: (CaptureDevice) -> [USBCamera.Learned] = { _ in [] }
    ) {
        self.init(freePorts: tree.buses.compactMap(\.freeDomain))
        for device in tree.devices {
            guard let speed = device.speed else { continue }
            var others = device.reservations
            for node in nodes where node.usbDevice == device.folder && node.index == 0 {
                let camera = present.first { $0.node == node.node }
                if let camera {
                    cameras.append(
                        USBCamera(
                            identity: camera.identity, speed: speed, domains: device.domains,
                            settings: device.streamSettings(controlledBy: node.interface),
                            learned: learned(camera)))
                }
                for reservation in device.streams(controlledBy: node.interface) {
                    guard let index = others.firstIndex(of: reservation) else { continue }
                    others.remove(at: index)
                    claims.append(
                        USBClaim(
                            device: "\(device.product) (\(node.node))", camera: camera?.identity,
                            holder: NodeOwners.holder(of: node.node, processes: processes, besides: nil)
                                .map(\.description), reservation: reservation, speed: speed,
                            domains: device.domains))
                }
            }
            claims += others.map {
                USBClaim(device: device.product, reservation: $0, speed: speed, domains: device.domains)
            }
        }
    }
}
