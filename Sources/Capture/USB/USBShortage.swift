import Media

/// Finds out why a camera's stream got no bandwidth: which devices reserve it, from sysfs, and what would fit, from the
/// camera's descriptors.
struct USBShortage {
    private let node: String
    private let format: VideoFormat?
    private let offers: [OfferedFormat]
    private let processes: String
    private let tree: USBTree
    private let nodes: [VideoNode]

    /// Prepares the search for one refused camera.
    ///
    /// - Parameters:
    ///   - node: Node of the camera that was refused.
    ///   - format: The format that it was to deliver.
    ///   - offers: The formats that it offers.
    ///   - sysfs: Where sysfs is mounted.
    ///   - processes: Where proc(5) is mounted.
    init(
        node: String, asking format: VideoFormat?, offers: [OfferedFormat], sysfs: String = "/sys",
        processes: String = "/proc"
    ) {
        self.node = Paths.resolved(node) ?? node
        self.format = format
        self.offers = offers
        self.processes = processes
        tree = USBTree(sysfs: sysfs)
        nodes = VideoNode.all(sysfs: sysfs)
    }

    /// The shortage with its claims and remedies; `nil` where the node is on no USB bus.
    var shortage: BandwidthShortage? {
        guard let own = nodes.first(where: { $0.node == node }), let camera = tree.device(at: own.usbDevice)
        else { return nil }
        let settings = camera.streamSettings(controlledBy: own.interface)
        let load = tree.load(around: camera)
        let asked = asked(of: settings, beside: load, by: camera)
        // When every setting fits by this calculation, the controller counts differently, and what would fit is unknown.
        let fitting = asked == nil ? nil : settings.last { load.fits($0, of: camera) }
        return BandwidthShortage(
            controller: camera.controller, claims: claims(beside: camera),
            asked: asked.flatMap { share($0, of: camera) },
            fitting: fitting.flatMap { share($0, of: camera) },
            fittingFormats: fitting.map { rawFormats(within: $0.bytes, at: camera.speed) } ?? [],
            freeControllers: freeControllers(for: camera))
    }

    /// The smallest setting that the camera can have asked for: one that did not fit, and that carries the raw format.
    private func asked(of settings: [USBReservation], beside load: USBLoad, by camera: USBDevice)
        -> USBReservation?
    {
        let needed = format.flatMap { Self.rawBytes($0, at: camera.speed) } ?? 0
        let refused = settings.filter { !load.fits($0, of: camera) }
        return refused.first { $0.bytes >= needed } ?? refused.last
    }

    private func claims(beside camera: USBDevice) -> [BandwidthShortage.Claim] {
        tree.neighbours(of: camera).compactMap { device in
            guard let largest = device.reservations.max(by: { $0.bytes < $1.bytes }),
                let share = share(largest, of: device)
            else { return nil }
            let captures = nodes.first { $0.usbDevice == device.folder && $0.index == 0 }
            return BandwidthShortage.Claim(
                device: captures.map { "\(device.product) (\($0.node))" } ?? device.product,
                // This process included: another camera of the same recording is the usual case.
                holder: captures.flatMap {
                    NodeOwners.holder(of: $0.node, processes: processes, besides: nil)
                },
                share: share)
        }.sorted { $0.share.percent > $1.share.percent }
    }

    /// Raw formats that fit into a setting, the largest first, each at its highest rate that fits.
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

    /// Bytes that a raw format needs in each microframe, as the driver computes it (`uvc_fixup_video_ctrl`: the frame's
    /// bytes per second over 8000, and 12 for the header); `nil` for compressed formats, for which the camera decides.
    static func rawBytes(_ format: VideoFormat, at speed: USBSpeed?) -> Int? {
        format.pixel.isRaw ? USBCamera.payload(of: format, at: speed ?? .high) : nil
    }

    /// Controllers other than the camera's, with a bus of the camera's speed, a free port and no streams.
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

    /// The share of the narrowest section of a device's path that a reservation takes.
    private func share(_ reservation: USBReservation, of device: USBDevice) -> BandwidthShortage.Share? {
        guard let speed = device.speed else { return nil }
        return BandwidthShortage.Share(reservation, at: speed, on: device.domains)
    }
}
