/// The bandwidth that is reserved on several stretches of USB, and by whom: the one sum for a plan, for what runs now and
/// for synthetic buses.
package struct USBLoad: Sendable, Hashable {
    private struct Entry: Hashable {
        let owner: String
        let first: Int
        let step: Int
        let time: Nanoseconds

        func isIn(_ slot: Int) -> Bool { slot >= first && (slot - first) % step == 0 }
    }

    private var schedules: [USBDomain: USBSchedule] = [:]
    private var entries: [USBDomain: [Entry]] = [:]

    /// Makes a load of nothing.
    package init() {}

    /// The stretches on which something is reserved.
    package var domains: Set<USBDomain> { Set(entries.keys) }

    /// Reserves bandwidth on a stream's whole route, or nothing at all.
    ///
    /// - Parameters:
    ///   - reservation: The bandwidth to reserve.
    ///   - speed: The speed of the device.
    ///   - domains: The route, from the controller to the device.
    ///   - owner: The name of who reserves, for `parts`.
    /// - Returns: Whether there was room.
    package mutating func reserve(
        _ reservation: USBReservation, at speed: USBSpeed, on domains: [USBDomain], for owner: String
    ) -> Bool {
        var trial = self
        for domain in domains {
            let time = domain.time(of: reservation, at: speed)
            let step = domain.step(of: reservation, at: speed)
            guard
                let first = trial.schedules[domain, default: USBSchedule(budget: domain.budget)]
                    .reserve(time, each: step)
            else { return false }
            trial.note(owner, first, step, time, domain)
        }
        self = trial
        return true
    }

    /// Counts a stream on its whole route, whether there is room or not.
    package mutating func add(
        _ reservation: USBReservation, at speed: USBSpeed, on domains: [USBDomain], for owner: String
    ) {
        for domain in domains {
            let time = domain.time(of: reservation, at: speed)
            let step = domain.step(of: reservation, at: speed)
            let first = schedules[domain, default: USBSchedule(budget: domain.budget)].add(time, each: step)
            note(owner, first, step, time, domain)
        }
    }

    /// Counts a time in each microframe of one stretch, whether there is room or not.
    package mutating func add(_ time: Nanoseconds, on domain: USBDomain, for owner: String) {
        schedules[domain, default: USBSchedule(budget: domain.budget)].add(time, each: 1)
        note(owner, 0, 1, time, domain)
    }

    /// Whether there would be room on the whole route.
    package func fits(_ reservation: USBReservation, at speed: USBSpeed, on domains: [USBDomain]) -> Bool {
        var trial = self
        return trial.reserve(reservation, at: speed, on: domains, for: "")
    }

    /// The time that is taken in the fullest microframe of a stretch.
    package func peak(_ domain: USBDomain) -> Nanoseconds { schedules[domain]?.peak ?? .zero }

    /// The time that each owner takes in the fullest microframe of a stretch; the times add up to `peak`.
    package func parts(_ domain: USBDomain) -> [String: Nanoseconds] {
        let slot = schedules[domain]?.fullest ?? 0
        var parts: [String: Nanoseconds] = [:]
        for entry in entries[domain] ?? [] where entry.isIn(slot) {
            parts[entry.owner] = (parts[entry.owner] ?? .zero) + entry.time
        }
        return parts
    }

    private mutating func note(
        _ owner: String, _ first: Int, _ step: Int, _ time: Nanoseconds, _ domain: USBDomain
    ) {
        entries[domain, default: []].append(
            Entry(owner: owner, first: first, step: USBSchedule.step(step), time: time))
    }
}
