/// A machine's USB topology for bandwidth planning: how each camera is connected, which bandwidth is
/// reserved, and which ports are free.
package struct USBTopology: Sendable, Equatable, Codable {
    /// The connected USB cameras.
    package var cameras: [USBCamera]
    /// Bandwidth that USB devices currently reserve.
    package var claims: [USBClaim]
    /// Bandwidth domains that have at least one free port. A camera on such a port would use the domain.
    package var freePorts: [USBDomain]

    /// Creates a USB topology; the default is empty.
    package init(cameras: [USBCamera] = [], claims: [USBClaim] = [], freePorts: [USBDomain] = []) {
        self.cameras = cameras
        self.claims = claims
        self.freePorts = freePorts
    }

    /// Returns the USB properties of a camera; `nil` for a device that isn't on a known USB bus.
    package func camera(_ identity: DeviceIdentity) -> USBCamera? {
        cameras.first { $0.identity == identity }
    }

    /// Returns the currently reserved bandwidth, excluding the streams of the given cameras.
    package func load(without cameras: Set<DeviceIdentity> = []) -> USBLoad {
        var load = USBLoad()
        for claim in claims where claim.camera.map({ !cameras.contains($0) }) ?? true {
            load.add(claim.reservation, at: claim.speed, on: claim.domains, for: claim.device)
        }
        return load
    }
}

/// USB bandwidth domain, shared by all traffic through it: a bus, a port of an xHCI controller, or the
/// upstream port of a hub that is slower than its parent.
package struct USBDomain: Sendable, Hashable, Codable {
    /// Unique name: `1` for the whole of bus 1; `1-port2` for one of its ports (`usb1-port2` in sysfs); `1-2`
    /// for the upstream port of the hub with that name; `1-2-tt` for the full-speed bus that a faster hub
    /// provides for slow devices (its transaction translator).
    package let name: String
    /// The bandwidth domain in readable form: `bus 1`, `port 2 of bus 1`, `hub 1-2`.
    package let place: String
    /// Name of the controller's folder in sysfs: `0000:00:14.0`.
    package let controller: String
    /// USB speed of the bandwidth domain.
    package let speed: USBSpeed
    /// Bandwidth accounting method of the controller.
    package let accounting: USBAccounting
    /// Maximum bus time per microframe that the controller's driver is configured to allocate; `nil` for the
    /// default budget.
    package let limit: Nanoseconds?

    /// Creates a bandwidth domain; without a `limit`, the domain has the default budget.
    package init(
        name: String, place: String, controller: String, speed: USBSpeed, accounting: USBAccounting,
        limit: Nanoseconds? = nil
    ) {
        self.name = name
        self.place = place
        self.controller = controller
        self.speed = speed
        self.accounting = accounting
        self.limit = limit
    }

    /// Maximum bus time per microframe that may be allocated in this domain.
    package var budget: Nanoseconds {
        speed == .high ? limit ?? accounting.budget(at: speed) : accounting.budget(at: speed)
    }

    /// Returns the bus time that a reservation takes per service interval in this domain. `speed` is the
    /// speed of the reservation's device.
    package func time(of reservation: USBReservation, at speed: USBSpeed) -> Nanoseconds {
        accounting.time(of: reservation, at: speed, on: self.speed)
    }

    /// Returns the service interval of a reservation in schedule slots.
    ///
    /// Schedule slots are microframes, or frames on a full-speed bus. Split transactions use every
    /// microframe.
    package func step(of reservation: USBReservation, at speed: USBSpeed) -> Int {
        guard self.speed >= .high else { return max(1, reservation.microframes / 8) }
        return speed >= .high ? reservation.microframes : 1
    }
}

/// Bandwidth reserved for one isochronous endpoint, whether or not the endpoint sends data. `USBDomain`
/// computes the bus time of a reservation.
package struct USBReservation: Sendable, Hashable, Codable {
    /// Maximum number of bytes per service interval.
    package let bytes: Int
    /// Service interval in microframes of 125 µs: a power of two; at full speed, a multiple of 8.
    package let microframes: Int
    /// Number of packets per service interval, at least 1: up to three at high speed, up to 48 at SuperSpeed.
    package let packets: Int

    /// Creates a bandwidth reservation. Without `packets`, the number of packets is computed from `bytes`,
    /// assuming packets of 1024 bytes.
    package init(bytes: Int, microframes: Int = 1, packets: Int? = nil) {
        self.bytes = bytes
        self.microframes = microframes
        // The maximum packet size at high speed and SuperSpeed is 1024 bytes.
        self.packets = packets ?? max(1, (bytes + 1023) / 1024)
    }
}

/// USB bandwidth that a device currently reserves, for example a camera used by another program, or a
/// microphone.
package struct USBClaim: Sendable, Equatable, Codable {
    /// Readable name of the device, with the device node of a camera: `Studio Webcam (/dev/video0)`.
    package var device: String
    /// The camera whose stream reserves the bandwidth; `nil` for other devices.
    package var camera: DeviceIdentity?
    /// The program that is using the device, in readable form; `nil` if the system doesn't report it.
    package var holder: String?
    /// The reserved bandwidth.
    package var reservation: USBReservation
    /// The speed at which the device is connected.
    package var speed: USBSpeed
    /// Route from the controller to the device: each bandwidth domain that the device uses.
    package var domains: [USBDomain]

    /// Creates a claim and replaces unprintable characters in the device's name.
    package init(
        device: String, camera: DeviceIdentity? = nil, holder: String? = nil, reservation: USBReservation,
        speed: USBSpeed, domains: [USBDomain]
    ) {
        self.device = device.printable()
        self.camera = camera
        self.holder = holder
        self.reservation = reservation
        self.speed = speed
        self.domains = domains
    }
}
