/// Bandwidth reserved in several USB bandwidth domains, by owner. Plans, active streams, and synthetic buses
/// all use this calculation.
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

    /// Creates an empty load.
    package init() {}

    /// Bandwidth domains with reservations.
    package var domains: Set<USBDomain> { Set(entries.keys) }

    /// Reserves bandwidth on a stream's entire route, or not at all.
    ///
    /// - Parameters:
    ///   - reservation: The bandwidth to reserve.
    ///   - speed: The speed of the device.
    ///   - domains: The route, from the controller to the device.
    ///   - owner: The owner's name, for `parts`.
    /// - Returns: Whether there was enough bandwidth.
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

    /// Adds a stream on its entire route, even if the bandwidth is insufficient.
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

    /// Adds an amount of time to each microframe of one bandwidth domain, even if the bandwidth is
    /// insufficient.
    package mutating func add(_ time: Nanoseconds, on domain: USBDomain, for owner: String) {
        schedules[domain, default: USBSchedule(budget: domain.budget)].add(time, each: 1)
        note(owner, 0, 1, time, domain)
    }

    /// Whether the bandwidth is sufficient on the entire route.
    package func fits(_ reservation: USBReservation, at speed: USBSpeed, on domains: [USBDomain]) -> Bool {
        var trial = self
        return trial.reserve(reservation, at: speed, on: domains, for: "")
    }

    /// Returns the time allocated in the fullest microframe of a bandwidth domain.
    package func peak(_ domain: USBDomain) -> Nanoseconds { schedules[domain]?.peak ?? .zero }

    /// Returns each owner's time in the fullest microframe of a bandwidth domain; the times add up to `peak`.
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

/// A bus's allocations: the eight microframes of a frame, and the time allocated in each.
///
/// The schedule allocates like the kernel's EHCI driver (`iso_stream_schedule`). A stream gets the first offset within
/// its interval that fits all of its transactions, or is rejected (ENOSPC). The kernel starts searching at a varying
/// offset; this schedule always starts at the first. A schedule is a value type, so callers can test allocations on a
/// copy.
package struct USBSchedule: Sendable, Hashable {
    /// Number of microframes in a frame.
    package static let slots = 8
    private let budget: Nanoseconds
    private var taken = [Nanoseconds](repeating: .zero, count: slots)

    /// Creates an empty schedule that can allocate `budget` of each microframe.
    package init(budget: Nanoseconds) {
        self.budget = budget
    }

    /// Time allocated in the fullest microframe.
    package var peak: Nanoseconds { taken.max() ?? .zero }

    /// Index of the fullest microframe, 0…7; the first if there are several.
    package var fullest: Int { taken.firstIndex(of: peak) ?? 0 }

    /// Reserves time for a stream.
    ///
    /// - Parameters:
    ///   - time: The time per service interval.
    ///   - microframes: The service interval in microframes, at least 1. Intervals longer than a frame count
    ///     as one frame.
    /// - Returns: The stream's first microframe. `nil` if there isn't enough time; in this case, nothing is
    ///   reserved.
    package mutating func reserve(_ time: Nanoseconds, each microframes: Int) -> Int? {
        let step = Self.step(microframes)
        for first in 0..<step {
            let turns = stride(from: first, to: Self.slots, by: step)
            if turns.allSatisfy({ taken[$0] + time <= budget }) {
                for turn in turns { taken[turn] = taken[turn] + time }
                return first
            }
        }
        return nil
    }

    /// Adds a running stream to the emptiest microframes, even if it doesn't fit according to this
    /// calculation.
    ///
    /// - Returns: The stream's first microframe.
    @discardableResult
    package mutating func add(_ time: Nanoseconds, each microframes: Int) -> Int {
        let step = Self.step(microframes)
        func peak(from first: Int) -> Nanoseconds {
            stride(from: first, to: Self.slots, by: step).map { taken[$0] }.max() ?? .zero
        }
        let first = (0..<step).min { peak(from: $0) < peak(from: $1) } ?? 0
        for turn in stride(from: first, to: Self.slots, by: step) { taken[turn] = taken[turn] + time }
        return first
    }

    /// Whether there is enough time for a stream.
    package func fits(_ time: Nanoseconds, each microframes: Int) -> Bool {
        var trial = self
        return trial.reserve(time, each: microframes) != nil
    }

    /// Returns the service interval in slots, 1…8.
    package static func step(_ microframes: Int) -> Int { min(max(microframes, 1), slots) }
}
