/// Bandwidth reserved in each USB bandwidth domain, by owner. The same calculation is used for plans, active
/// streams, and synthetic buses.
package struct USBLoad: Sendable, Hashable {
    private struct Entry: Hashable {
        let owner: String
        let first: Int
        let step: Int
        let time: Nanoseconds

        func occupies(_ slot: Int) -> Bool { slot >= first && (slot - first) % step == 0 }
    }

    private var schedules: [USBDomain: USBSchedule] = [:]
    private var entries: [USBDomain: [Entry]] = [:]

    /// Creates a load without any reservations.
    package init() {}

    /// Reserves bandwidth for a stream in all bandwidth domains on its route, or in none of them.
    ///
    /// - Parameters:
    ///   - reservation: The bandwidth to reserve.
    ///   - speed: The speed of the device.
    ///   - domains: The bandwidth domains on the route from the controller to the device.
    ///   - owner: The owner's name, for `parts`.
    /// - Returns: Whether the bandwidth was sufficient and has been reserved.
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
            trial.addEntry(owner, first, step, time, domain)
        }
        self = trial
        return true
    }

    /// Adds a stream to all bandwidth domains on its route, even if the bandwidth is insufficient.
    package mutating func add(
        _ reservation: USBReservation, at speed: USBSpeed, on domains: [USBDomain], for owner: String
    ) {
        for domain in domains {
            let time = domain.time(of: reservation, at: speed)
            let step = domain.step(of: reservation, at: speed)
            let first = schedules[domain, default: USBSchedule(budget: domain.budget)].add(time, each: step)
            addEntry(owner, first, step, time, domain)
        }
    }

    /// Adds bus time to each microframe of one bandwidth domain, even if the bandwidth is insufficient.
    package mutating func add(_ time: Nanoseconds, on domain: USBDomain, for owner: String) {
        schedules[domain, default: USBSchedule(budget: domain.budget)].add(time, each: 1)
        addEntry(owner, 0, 1, time, domain)
    }

    /// Whether all bandwidth domains on the route have enough free bandwidth for the reservation.
    package func fits(_ reservation: USBReservation, at speed: USBSpeed, on domains: [USBDomain]) -> Bool {
        var trial = self
        return trial.reserve(reservation, at: speed, on: domains, for: "")
    }

    /// Returns the bus time allocated in the fullest microframe of a bandwidth domain.
    package func peak(_ domain: USBDomain) -> Nanoseconds { schedules[domain]?.peak ?? .zero }

    /// Returns each owner's bus time in the fullest microframe of a bandwidth domain. The sum of these times
    /// is `peak`.
    package func timeByOwner(_ domain: USBDomain) -> [String: Nanoseconds] {
        let slot = schedules[domain]?.fullest ?? 0
        var parts: [String: Nanoseconds] = [:]
        for entry in entries[domain] ?? [] where entry.occupies(slot) {
            parts[entry.owner] = (parts[entry.owner] ?? .zero) + entry.time
        }
        return parts
    }

    private mutating func addEntry(
        _ owner: String, _ first: Int, _ step: Int, _ time: Nanoseconds, _ domain: USBDomain
    ) {
        entries[domain, default: []].append(
            Entry(owner: owner, first: first, step: USBSchedule.step(step), time: time))
    }
}

/// Bandwidth schedule of a bus: the bus time allocated in each of the eight microframes of a frame.
///
/// The schedule allocates bus time like the kernel's EHCI driver (`iso_stream_schedule`). A stream is
/// assigned the first offset within its service interval at which all of its transactions fit. If no offset
/// fits, the stream is rejected (ENOSPC). The kernel's search starts at a varying offset; this schedule
/// always starts at the first offset. A schedule is a value type, so callers can test allocations on a copy.
package struct USBSchedule: Sendable, Hashable {
    /// Number of microframes in a USB frame.
    package static let slots = 8
    private let budget: Nanoseconds
    private var allocated = [Nanoseconds](repeating: .zero, count: slots)

    /// Creates an empty schedule in which up to `budget` of each microframe can be allocated.
    package init(budget: Nanoseconds) {
        self.budget = budget
    }

    /// Bus time allocated in the fullest microframe.
    package var peak: Nanoseconds { allocated.max() ?? .zero }

    /// Index of the fullest microframe, 0…7; the lowest index if several microframes are equally full.
    package var fullest: Int { allocated.firstIndex(of: peak) ?? 0 }

    /// Reserves bus time for a stream.
    ///
    /// - Parameters:
    ///   - time: The bus time per service interval.
    ///   - microframes: The service interval in microframes, at least 1. Intervals longer than a frame are
    ///     treated as one frame.
    /// - Returns: The index of the stream's first microframe. If there isn't enough bus time, the result is
    ///   `nil` and nothing is reserved.
    package mutating func reserve(_ time: Nanoseconds, each microframes: Int) -> Int? {
        let step = Self.step(microframes)
        for first in 0..<step {
            let turns = stride(from: first, to: Self.slots, by: step)
            if turns.allSatisfy({ allocated[$0] + time <= budget }) {
                for turn in turns { allocated[turn] = allocated[turn] + time }
                return first
            }
        }
        return nil
    }

    /// Adds an active stream to the least full microframes, even if the stream doesn't fit according to this
    /// calculation.
    ///
    /// - Returns: The index of the stream's first microframe.
    @discardableResult
    package mutating func add(_ time: Nanoseconds, each microframes: Int) -> Int {
        let step = Self.step(microframes)
        func peak(from first: Int) -> Nanoseconds {
            stride(from: first, to: Self.slots, by: step).map { allocated[$0] }.max() ?? .zero
        }
        let first = (0..<step).min { peak(from: $0) < peak(from: $1) } ?? 0
        for turn in stride(from: first, to: Self.slots, by: step) { allocated[turn] = allocated[turn] + time }
        return first
    }

    /// Whether there is enough bus time for a stream.
    package func fits(_ time: Nanoseconds, each microframes: Int) -> Bool {
        var trial = self
        return trial.reserve(time, each: microframes) != nil
    }

    /// Returns the service interval in slots of the schedule, 1…8.
    package static func step(_ microframes: Int) -> Int { min(max(microframes, 1), slots) }
}
