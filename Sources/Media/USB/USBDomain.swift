/// A stretch of USB whose bandwidth all that goes through it share: a bus, a port of an xHCI controller, the upstream port of a
/// hub that is slower than what it hangs on.
public struct USBDomain: Sendable, Hashable, Codable {
    /// `1` for all of bus 1; `1-port2` for one of its ports, as sysfs says `usb1-port2`; `1-2` for the way up from the hub of
    /// that name; `1-2-tt` for the bus of full speed that a faster hub keeps for slow devices (its transaction translator).
    public let name: String
    /// The same as a person reads it: `bus 1`, `port 2 of bus 1`, `hub 1-2`.
    public let place: String
    /// The folder's name of the controller: `0000:00:14.0`.
    public let controller: String
    public let speed: USBSpeed
    public let accounting: USBAccounting
    /// What the controller's driver was told that it may promise of each microframe; `nil` for what is usual.
    public let limit: Nanoseconds?

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

    /// In each microframe.
    package var budget: Nanoseconds {
        speed == .high ? limit ?? accounting.budget(at: speed) : accounting.budget(at: speed)
    }

    /// What one turn takes here. `speed` is that at which its device talks.
    package func time(of reservation: USBReservation, at speed: USBSpeed) -> Nanoseconds {
        accounting.time(of: reservation, at: speed, on: self.speed)
    }

    /// How many slots of the schedule from one turn to the next: microframes; frames on a bus of full speed; and each
    /// microframe for split transactions.
    package func step(of reservation: USBReservation, at speed: USBSpeed) -> Int {
        guard self.speed >= .high else { return max(1, reservation.microframes / 8) }
        return speed >= .high ? reservation.microframes : 1
    }
}
