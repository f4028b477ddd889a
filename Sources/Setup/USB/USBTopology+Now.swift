internal import Capture
internal import Media

extension USBTopology {
    /// The connected USB devices, read from sysfs without asking any device, with the learned bandwidths of the cameras.
    ///
    /// - Returns: The topology, and a sentence for the user when the learned bandwidths cannot be read.
    static func connected() -> (topology: USBTopology, warning: String?) {
        let present = PresentCameras().devices()
        let (kept, warning) = KeptBandwidth.file?.read() ?? (KeptBandwidth(), nil)
        let topology = USBTopology(USBTree(), nodes: VideoNode.all(), cameras: present) {
            kept.learned(of: $0, among: present)
        }
        return (topology, warning)
    }
}

extension StateFile<KeptBandwidth> {
    /// Stores the bandwidth that streaming cameras reserve now. Writes nothing when all of it is known.
    ///
    /// - Parameter cameras: The cameras with the formats in which they stream.
    /// - Returns: A sentence for the user when earlier values could not be read.
    /// - Throws: `StateFileError` when the file cannot be written.
    func learn(from cameras: [(device: CaptureDevice, format: VideoFormat)]) throws(StateFileError) -> String?
    {
        let nodes = VideoNode.all()
        let tree = USBTree()
        let seen = cameras.compactMap { camera -> KeptBandwidth.Entry? in
            guard let node = nodes.first(where: { $0.node == camera.device.node }),
                let stream = tree.device(at: node.usbDevice)?.streams(controlledBy: node.interface).first
            else { return nil }
            return KeptBandwidth.Entry(
                identity: camera.device.identity, format: camera.format, bytes: stream.bytes)
        }
        guard !seen.isEmpty else { return nil }
        return try update { kept in
            for entry in seen { kept.add(entry) }
        }
    }
}
