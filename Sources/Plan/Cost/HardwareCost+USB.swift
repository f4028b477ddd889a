internal import Media

extension HardwareCost {
    /// The bandwidth that a plan's cameras and the streams that run already reserve on each stretch of USB that the cameras use.
    ///
    /// Bandwidth is reserved in each microframe of 125 µs: the fullest one counts. The streams of other programs are in their
    /// places already; the plan's cameras get the emptiest microframes, as if the driver had found the best place for each.
    static func usb(_ plan: SessionPlan, _ topology: USBTopology) -> [Term] {
        var load = topology.load(without: Set(plan.cameras.map(\.identity)))
        var words: [USBDomain: [String]] = [:]
        for planned in plan.cameras {
            guard let camera = planned.usb ?? topology.camera(planned.identity),
                let demand = camera.demand(in: planned.format)
            else { continue }
            load.add(demand, of: camera, for: planned.role)
            for domain in camera.domains {
                words[domain, default: []].append("\(planned.role) \(demand.words)")
            }
        }
        return words.map { domain, words in
            let budget = Double(domain.budget.count)
            let parts = load.parts(domain).mapValues { Double($0.count) / budget }
            let peak = microseconds(load.peak(domain))
            return Term(
                resource: "usb:\(domain.name)", used: Double(load.peak(domain).count) / budget,
                parts: parts.map { Part(owner: $0.key, used: $0.value) }.sorted {
                    ($1.used, $0.owner) < ($0.used, $1.owner)
                },
                explanation:
                    "\(peak) of the \(microseconds(domain.budget)) µs that \(domain.place) (\(domain.controller.printable())) "
                    + "may promise of each 125 µs: \(words.joined(separator: "; "))\(others(load, domain, plan))."
            )
        }
    }

    private static func others(_ load: USBLoad, _ domain: USBDomain, _ plan: SessionPlan) -> String {
        let roles = Set(plan.cameras.map(\.role))
        let others = load.parts(domain).keys.filter { !roles.contains($0) }.sorted()
        return others.isEmpty ? "" : "; in use already: \(others.joined(separator: ", "))"
    }

    /// A time in microseconds, rounded to a tenth.
    private static func microseconds(_ time: Nanoseconds) -> String {
        let tenths = (time.count + 50) / 100
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension USBLoad {
    /// Counts the bandwidth that a camera of a plan will reserve.
    ///
    /// A demand that no setting of the camera carries counts as its share of the largest one, of the whole bus: it never fits.
    mutating func add(_ demand: USBDemand, of camera: USBCamera, for owner: String) {
        guard case .tooLarge(let bytes) = demand.basis else {
            return add(demand.reservation, at: camera.speed, on: camera.domains, for: owner)
        }
        for domain in camera.domains {
            let share = Double(bytes) / Double(max(demand.most.bytes, 1))
            add(Nanoseconds(Int64(Double(domain.budget.count) * share)), on: domain, for: owner)
        }
    }
}

extension USBDemand {
    /// The demand in words that follow a role: `keeps 3072 bytes, as it did last time`.
    var words: String {
        switch basis {
        case .learned: "keeps \(reservation.bytes) bytes, as it did last time"
        case .computed: "keeps \(reservation.bytes) bytes, as its raw format needs"
        case .assumed where reservation == most: "keeps \(reservation.bytes) bytes at most"
        case .assumed:
            "is assumed to keep \(reservation.bytes) bytes, which it tells only when it streams: at most \(most.bytes)"
        case .tooLarge(let bytes):
            "needs \(bytes) bytes, more than the \(most.bytes) that a camera can have"
        }
    }
}
