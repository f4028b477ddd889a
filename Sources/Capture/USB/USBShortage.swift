package import MulticamMedia

/// Explains why a camera's stream got no bandwidth. Uses sysfs to determine which devices reserve the
/// bandwidth, and the camera's descriptors to determine which settings would fit.
struct USBShortage {
    private let node: String
    private let format: VideoFormat?
    private let offers: [OfferedFormat]
    private let processes: String
    private let tree: USBTree
    private let nodes: [VideoNode]

    /// Prepares the analysis for a rejected camera.
    ///
    /// - Parameters:
    ///   - node: Node of the rejected camera.
    ///   - format: The requested format.
    ///   - offers: The formats that the camera offers.
    ///   - sysfs: Mount point of sysfs.
    ///   - processes: Mount point of proc(5).
    init(
        node: String, requested format: VideoFormat?, offers: [OfferedFormat], sysfs: String = "/sys",
        processes: String = "/proc"
    ) {
        self.node = Paths.resolved(node) ?? node
        self.format = format
        self.offers = offers
        self.processes = processes
        tree = USBTree(sysfs: sysfs)
        nodes = VideoNode.all(sysfs: sysfs)
    }

    /// The shortage with its causes and remedies; `nil` if the node isn't on a USB bus.
    var shortage: BandwidthShortage? {
        guard let own = nodes.first(where: { $0.node == node }), let camera = tree.device(at: own.usbDevice)
        else { return nil }
        let settings = camera.streamSettings(controlledBy: own.interface)
        let load = tree.load(around: camera)
        let asked = requestedSetting(of: settings, beside: load, by: camera)
        // If every setting fits according to this calculation, the controller calculates bandwidth
        // differently. In this case, it isn't known which settings fit.
        let fitting = asked == nil ? nil : settings.last { load.fits($0, of: camera) }
        return BandwidthShortage(
            controller: camera.controller, claims: claims(beside: camera),
            asked: asked.flatMap { share($0, of: camera) },
            fitting: fitting.flatMap { share($0, of: camera) },
            fittingFormats: fitting.map { rawFormats(within: $0.bytes, at: camera.speed) } ?? [],
            freeControllers: freeControllers(for: camera))
    }

    /// Returns the smallest setting that the camera may have requested: one that didn't fit and that can carry the raw
    /// format.
    private func requestedSetting(of settings: [USBReservation], beside load: USBLoad, by camera: USBDevice)
        -> USBReservation?
    {
        let needed = format.flatMap { Self.rawBytes($0, at: camera.speed) } ?? 0
        let refused = settings.filter { !load.fits($0, of: camera) }
        return refused.first { $0.bytes >= needed } ?? refused.last
    }

    private func claims(beside camera: USBDevice) -> [BandwidthShortage.Claim] {
        tree.neighbors(of: camera).compactMap { device in
            guard let largest = device.reservations.max(by: { $0.bytes < $1.bytes }),
                let share = share(largest, of: device)
            else { return nil }
            let captures = nodes.first { $0.usbDevice == device.folder && $0.index == 0 }
            return BandwidthShortage.Claim(
                device: captures.map { "\(device.product) (\($0.node))" } ?? device.product,
                // This process is included, because the cause is usually another camera of the same recording.
                holder: captures.flatMap {
                    NodeOwners.holder(of: $0.node, processes: processes, besides: nil)
                },
                share: share)
        }.sorted { $0.share.percent > $1.share.percent }
    }

    /// Returns the raw formats that fit into a setting, largest first, each at the highest rate that fits.
    private func rawFormats(within bytes: Int, at speed: USBSpeed?) -> [String] {
        var best: [VideoFormat] = []
        for offer in offers {
            guard case .listed(let rates) = offer.rates else { continue }
            let fitting = rates.map { VideoFormat(pixel: offer.pixel, size: offer.size, rate: $0) }.filter {
                Self.rawBytes($0, at: speed).map { $0 <= bytes } ?? false
            }
            if let fastest = fitting.max(by: { $0.rate < $1.rate }), fastest != format {
                best.append(fastest)
            }
        }
        return best.sorted { ($0.size.pixelCount, $0.rate) > ($1.size.pixelCount, $1.rate) }.map(
            \.description)
    }

    /// Returns the number of bytes that a raw format needs per microframe. The driver computes the same number in
    /// `uvc_fixup_video_ctrl`: the bytes per second divided by 8000, plus 12 for the header. Returns `nil` for
    /// compressed formats, because the camera determines their size.
    static func rawBytes(_ format: VideoFormat, at speed: USBSpeed?) -> Int? {
        format.pixel.isRaw ? USBCamera.payload(of: format, at: speed ?? .high) : nil
    }

    /// Returns the other controllers that have a bus with the camera's speed and a free port, and that aren't
    /// used by a stream.
    private func freeControllers(for camera: USBDevice) -> [String] {
        let fitting = tree.buses.filter { bus in
            let devices = tree.devices.filter { $0.bus.name == bus.name }
            return bus.controller != camera.controller
                && (camera.speed.map { $0 <= .high } ?? true
                    ? bus.speed == .high : bus.speed ?? .low >= .superSpeed)
                && devices.allSatisfy { $0.reservations.isEmpty }
                && !bus.freePorts.isEmpty
        }
        return Array(Set(fitting.map(\.controller))).sorted()
    }

    /// Returns the fraction of bandwidth that a reservation uses in the narrowest section of the device's
    /// path.
    private func share(_ reservation: USBReservation, of device: USBDevice) -> BandwidthShortage.Share? {
        guard let speed = device.speed else { return nil }
        return BandwidthShortage.Share(reservation, at: speed, on: device.domains)
    }
}

extension DeviceError {
    /// Adds system information to a failure: which program uses the node, why it can't be opened, or which
    /// devices use the bus bandwidth.
    ///
    /// Reads proc and sysfs, which takes milliseconds. Must not be called from a Swift task.
    ///
    /// - Parameters:
    ///   - node: The node that failed.
    ///   - format: The requested format, for a camera.
    ///   - offers: The formats that the camera offers.
    /// - Returns: The error with a more specific reason, if one can be determined.
    package func explained(
        node: String, requested format: VideoFormat? = nil, offers: [OfferedFormat] = []
    ) -> DeviceError {
        let reason: Reason
        switch self.reason {
        case .busy(nil): reason = .busy(by: NodeOwners.holder(of: node))
        case .noPermission(nil):
            let permissions = NodePermissions(of: node)
            reason = .noPermission(
                permissions?.obstacle(to: .current, inContainer: Container.isDetected()))
        case .noBandwidth(let shortage) where shortage.controller == nil:
            reason = .noBandwidth(
                USBShortage(node: node, requested: format, offers: offers).shortage ?? shortage)
        default: reason = self.reason
        }
        return DeviceError(device: device, operation: operation, reason: reason)
    }
}
