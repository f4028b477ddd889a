/// A stretch of USB whose bandwidth everything that goes through it shares: a bus, a port of an xHCI controller, or the
/// upstream port of a hub that is slower than what it is connected to.
public struct USBDomain: Sendable, Hashable, Codable {
    /// A unique name: `1` for all of bus 1; `1-port2` for one of its ports, as sysfs says `usb1-port2`; `1-2` for the way
    /// up from the hub of that name; `1-2-tt` for the bus of full speed that a faster hub keeps for slow devices (its
    /// transaction translator).
    public let name: String
    /// The stretch as a person reads it: `bus 1`, `port 2 of bus 1`, `hub 1-2`.
    public let place: String
    /// The name of the controller's folder in sysfs: `0000:00:14.0`.
    public let controller: String
    /// The speed of the stretch.
    public let speed: USBSpeed
    /// How the controller adds up what it has promised.
    public let accounting: USBAccounting
    /// The time of each microframe that the controller's driver was told it may promise; `nil` for the usual budget.
    public let limit: Nanoseconds?

    /// Makes a stretch; without a `limit` it has the usual budget.
    public init(
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

    /// The time of each microframe that may be promised here.
    package var budget: Nanoseconds {
        speed == .high ? limit ?? accounting.budget(at: speed) : accounting.budget(at: speed)
    }

    /// The time that one turn of a reservation takes here. `speed` is the speed of its device.
    package func time(of reservation: USBReservation, at speed: USBSpeed) -> Nanoseconds {
        accounting.time(of: reservation, at: speed, on: self.speed)
    }

    /// The number of slots of the schedule from one turn to the next.
    ///
    /// Slots are microframes, or frames on a bus of full speed; split transactions take each microframe.
    package func step(of reservation: USBReservation, at speed: USBSpeed) -> Int {
        guard self.speed >= .high else { return max(1, reservation.microframes / 8) }
        return speed >= .high ? reservation.microframes : 1
    }
}
