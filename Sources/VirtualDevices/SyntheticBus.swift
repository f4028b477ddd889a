package import MulticamMedia

/// The synthetic USB buses. Each name represents one high-speed USB 2 bus, which is shared by the whole
/// process.
///
/// A camera without a `bus` has a separate bus with unlimited bandwidth, so it delivers any format that the user
/// requests.
package enum SyntheticBus {
    /// Bandwidth of the alternate settings, in bytes per microframe. The values are those of Logitech webcams as listed
    /// by `lsusb -v` (046d:09a5 in Sharp, "xHCI bandwidth error with USB webcam", linux-media, 2010-04-12).
    static let settings = [192, 384, 512, 640, 800, 944, 1280, 1600, 1984, 2688, 3060].map {
        USBReservation(bytes: $0)
    }

    /// Returns the description of a camera on a bus, for the plan's bandwidth check. The bandwidth of compressed
    /// formats is estimated as for a real camera without measurements.
    ///
    /// - Returns: The description, or `nil` for a camera without a bus.
    static func camera(_ identity: DeviceIdentity, on bus: String?) -> USBCamera? {
        guard let bus else { return nil }
        let domain = USBDomain(
            name: bus, place: "the synthetic bus \(bus)", controller: bus, speed: .high, accounting: .standard
        )
        return USBCamera(
            identity: identity, speed: .high, domains: [domain], settings: settings, isSynthetic: true)
    }

    /// Returns the description of the camera that a selector names, for the plan's bandwidth check.
    ///
    /// - Parameters:
    ///   - identity: The identity of the camera.
    ///   - selector: Any selector. Only `virtual:…` can name a synthetic bus.
    /// - Returns: The description, or `nil` if the selector doesn't name a synthetic bus.
    /// - Throws: `VirtualDeviceError.usage` if a `virtual:` selector is invalid.
    package static func camera(_ identity: DeviceIdentity, of selector: String) throws(VirtualDeviceError)
        -> USBCamera?
    {
        guard selector.hasPrefix(VirtualSelector.prefix) else { return nil }
        return camera(identity, on: try VirtualCameraSettings(selector: selector).behavior.bus)
    }

    /// The active streams on all synthetic buses of this process.
    private struct Registry {
        struct Stream {
            let number: Int
            let name: String
            let demand: USBDemand
            let camera: USBCamera
        }

        var streams: [Stream] = []
        var last = 0

        var load: USBLoad {
            var load = USBLoad()
            for stream in streams {
                load.add(
                    stream.demand.reservation, at: stream.camera.speed, on: stream.camera.domains,
                    for: stream.name)
            }
            return load
        }
    }

    private static let registry = ConditionLock(Registry())

    /// A camera's bandwidth reservation on its bus, held from start to stop. Scripted disconnections don't release the
    /// bandwidth.
    final class Reservation: Sendable {
        private let camera: USBCamera
        private let demand: USBDemand?
        private let name: String
        private let number = ConditionLock<Int?>(nil)

        init(_ camera: USBCamera, format: VideoFormat, name: String) {
            self.camera = camera
            demand = camera.demand(in: format)
            self.name = name
        }

        /// Reserves bandwidth, as a real driver does when a stream starts.
        ///
        /// - Throws: `DeviceError.noBandwidth` if the bus doesn't have enough bandwidth left.
        func reserve() throws(DeviceError) {
            guard let demand else { return }
            let taken: Result<Int, DeviceError> = SyntheticBus.registry.withLock { register in
                let load = register.load
                var isPossible = load.fits(demand.reservation, at: camera.speed, on: camera.domains)
                if case .tooLarge = demand.basis { isPossible = false }
                guard isPossible else { return .failure(refusal(demand, beside: register.streams, load)) }
                register.last += 1
                register.streams.append(
                    .init(number: register.last, name: name, demand: demand, camera: camera))
                return .success(register.last)
            }
            let new = try taken.get()
            number.withLock { $0 = new }
        }

        func release() {
            let old = number.withLock { number in
                defer { number = nil }
                return number
            }
            guard let old else { return }
            SyntheticBus.registry.withLock { $0.streams.removeAll { $0.number == old } }
        }

        private func refusal(_ demand: USBDemand, beside streams: [Registry.Stream], _ load: USBLoad)
            -> DeviceError
        {
            func share(_ reservation: USBReservation) -> BandwidthShortage.Share? {
                BandwidthShortage.Share(reservation, at: camera.speed, on: camera.domains)
            }
            let neighbors = streams.filter { $0.camera.domains == camera.domains }
            let fitting = camera.settings.last { load.fits($0, at: camera.speed, on: camera.domains) }
            return DeviceError(
                device: name, operation: "starting",
                reason: .noBandwidth(
                    BandwidthShortage(
                        controller: camera.domains.first?.controller,
                        claims: neighbors.compactMap { stream in
                            share(stream.demand.reservation).map {
                                .init(device: stream.name, holder: nil, share: $0)
                            }
                        }.sorted { $0.share.bytes > $1.share.bytes }, asked: share(demand.reservation),
                        fitting: fitting.flatMap(share))))
        }
    }
}
