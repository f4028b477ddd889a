import MulticamMedia
import Testing

@testable import MulticamMonitoring

@Suite("System pressure from readings of the computer")
struct PressureAssessmentTests {
    private typealias Case = (
        name: String, level: PressureLevel, cause: PressureFactor.Cause?, says: String,
        change: @Sendable (inout HostState) -> Void
    )

    private static func stall(
        _ resource: ResourceStall.Resource, some: Double, full: Double? = 0,
        _ scope: ResourceStall.Scope = .machine
    ) -> @Sendable (inout HostState) -> Void {
        { $0.stalls.append(ResourceStall(resource, scope, some: some, full: full)) }
    }

    private static func zone(
        _ degrees: Int, passive: Int? = nil, hot: Int? = nil, critical: Int? = nil
    ) -> @Sendable (inout HostState) -> Void {
        {
            $0.zones.append(
                ThermalZone(
                    name: "cpu", temperature: Temperature(degrees: degrees),
                    passive: passive.map { Temperature(degrees: $0) },
                    hot: hot.map { Temperature(degrees: $0) },
                    critical: critical.map { Temperature(degrees: $0) }))
        }
    }

    private static func battery(_ charge: Double?) -> @Sendable (inout HostState) -> Void {
        { $0.power = PowerSupply(isDischarging: true, charge: charge) }
    }

    private static func speed(_ allowed: Double, capped: Int) -> @Sendable (inout HostState) -> Void {
        { $0.speed = ProcessorSpeed(allowed: allowed, capped: capped, count: 8, throttlings: 900) }
    }

    /// Each source, just below and exactly at each of its thresholds.
    private static let cases: [Case] = [
        ("nothing is known", .nominal, nil, "", { _ in }),
        ("cpu 24 %", .nominal, nil, "", stall(.processor, some: 0.24)),
        ("cpu 25 %", .fair, .processorStall, "waited for it during 25 %", stall(.processor, some: 0.25)),
        ("cpu 60 %", .serious, .processorStall, "60 %", stall(.processor, some: 0.6)),
        ("cpu 100 %: never more", .serious, .processorStall, "100 %", stall(.processor, some: 1, full: nil)),
        ("io: only `full` counts", .nominal, nil, "", stall(.storage, some: 1, full: 0.24)),
        ("io 25 %", .fair, .storageStall, "25 %", stall(.storage, some: 1, full: 0.25)),
        ("io 100 %: never more", .serious, .storageStall, "100 %", stall(.storage, some: 1, full: 1)),
        ("memory 6 %", .nominal, nil, "", stall(.memory, some: 0.06)),
        ("memory 7 %", .fair, .memoryStall, "7 %", stall(.memory, some: 0.07)),
        ("memory full 10 %", .serious, .memoryStall, "10 %", stall(.memory, some: 0.2, full: 0.1)),
        ("memory full 30 %", .critical, .memoryStall, "30 %", stall(.memory, some: 0.5, full: 0.3)),
        ("memory full 60 %", .shutdown, .memoryStall, "60 %", stall(.memory, some: 0.9, full: 0.6)),
        ("89 of 95 °C", .nominal, nil, "", zone(89, passive: 95, critical: 105)),
        ("90 of 95 °C", .fair, .temperature, "90 °C", zone(90, passive: 95, critical: 105)),
        (
            "95 of 95 °C", .serious, .temperature, "it is throttled at 95 °C",
            zone(95, passive: 95, critical: 105)
        ),
        ("hot", .critical, .temperature, "may be damaged", zone(98, passive: 95, hot: 98, critical: 105)),
        ("5 °C to the end", .critical, .temperature, "at 105 °C", zone(100, passive: 95, critical: 105)),
        (
            "2 °C to the end", .shutdown, .temperature, "shuts down",
            zone(103, passive: 95, critical: 105)
        ),
        ("beyond the end", .shutdown, .temperature, "110 °C", zone(110, passive: 95, critical: 105)),
        ("nothing passive, 20 °C", .fair, .temperature, "80 °C", zone(80, critical: 100)),
        ("nothing passive, 10 °C", .serious, .temperature, "90 °C", zone(90, critical: 100)),
        ("95 % of the speed", .nominal, nil, "", speed(0.95, capped: 1)),
        ("90 % of the speed", .fair, .speed, "90 % of the total speed", speed(0.9, capped: 8)),
        ("half the speed", .serious, .speed, "8 of 8 processors", speed(0.5, capped: 8)),
        (
            "plugged in, and nearly empty", .nominal, nil, "",
            { $0.power = PowerSupply(isDischarging: false, charge: 0.01) }
        ),
        ("a full battery", .fair, .power, "100 % charged", battery(1)),
        ("a battery that does not say", .fair, .power, "charge is unknown", battery(nil)),
        ("battery 21 %", .fair, .power, "21 %", battery(0.21)),
        ("battery 20 %", .serious, .power, "20 %", battery(0.2)),
        ("battery 5 %", .critical, .power, "5 %", battery(0.05)),
        ("battery 2 %", .shutdown, .power, "2 %", battery(0.02)),
    ]

    @Test("each value sets its level and its text immediately", arguments: cases.indices)
    func steps(index: Int) {
        let wanted = Self.cases[index]
        var look = SimulatedReadings()
        let pressure = look.read([], wanted.change)
        #expect(pressure.level == wanted.level, "\(wanted.name)")
        #expect(pressure.factors.map(\.cause) == [wanted.cause].compactMap(\.self), "\(wanted.name)")
        if let factor = pressure.factors.first {
            #expect(factor.text.contains(wanted.says), "\(factor.text)")
            #expect(pressure.text.contains(factor.text) && pressure.text.contains(factor.advice))
        } else {
            #expect(pressure.text == "system pressure is nominal.")
        }
    }

    @Test("for processor and disk, only the process group's stalls count; for memory, the worse of both")
    func scopes() {
        var look = SimulatedReadings()
        let pressure = look.read([]) { state in
            for resource in ResourceStall.Resource.allCases {
                Self.stall(resource, some: 0.9, full: 0.9)(&state)
                Self.stall(resource, some: 0, full: 0, .ownGroup)(&state)
            }
        }
        #expect(pressure.factors.map(\.cause) == [.memoryStall])
        #expect(pressure.level == .shutdown)
    }

    @Test(
        "the level of a queue depends on its delay",
        arguments: [
            (.encoder(room: 15), 2.9, .nominal), (.encoder(room: 15), 3, .fair),
            (.encoder(room: 15), 7.5, .serious),
            (.encoder(room: 15), 12, .critical), (.encoder(room: 15), 15, .critical),
            (.writer, 14, .nominal), (.writer, 15, .fair), (.writer, 60, .serious), (.writer, 150, .critical),
        ] as [(QueueAge.Kind, Double, PressureLevel)])
    func queues(kind: QueueAge.Kind, intervals: Double, level: PressureLevel) {
        var look = SimulatedReadings()
        let pressure = look.read([
            QueueAge(kind, name: "slow", intervals: intervals), QueueAge(kind, name: "fast", intervals: 0),
        ])
        #expect(pressure.level == level)
        if level > .nominal {
            #expect(pressure.factors[0].text.contains("slow is \(Int(intervals.rounded())) frames behind"))
        }
    }

    @Test("only items that remain in a queue for a full second count")
    func standing() {
        var queues = StandingQueues()
        for intervals in [0.0, 14, 15, 3, 15] {
            queues.record([
                QueueAge(.writer, name: "a", intervals: intervals),
                QueueAge(.writer, name: "b", intervals: 9),
            ])
        }
        #expect(queues.drain().map(\.intervals) == [0, 9])
        queues.record([QueueAge(.writer, name: "a", intervals: 7)])
        #expect(queues.drain().map(\.intervals) == [7])
        #expect(queues.drain().isEmpty)
    }

    @Test(
        "throttling is serious if the processor's throttling count grew in the last 10 s")
    func throttling() {
        var look = SimulatedReadings()
        func count(_ count: Int64) -> (inout HostState) -> Void {
            { $0.speed = ProcessorSpeed(allowed: 1, capped: 0, count: 4, throttlings: count) }
        }
        #expect(look.read([], count(500)).level == .nominal)
        let slowed = look.read([], count(503))
        #expect(slowed.level == .serious)
        #expect(slowed.factors[0].text.contains("3 times"))
        // If a processor is switched off, the count decreases. This must not cause a negative number or an
        // alarm.
        var last = look.read([], count(1))
        for _ in 0..<30 { last = look.read([], count(1)) }
        #expect(last.level == .nominal)
        #expect(look.read([], count(2)).factors[0].text.contains("1 time "))
    }

    @Test("the level of a quota depends on the share of exhausted periods")
    func quota() {
        var look = SimulatedReadings()
        func used(_ periods: Int64, _ throttled: Int64) -> (inout HostState) -> Void {
            {
                $0.share = ProcessorShare(
                    processors: 4, quota: 1.5, periods: periods, throttledPeriods: throttled)
            }
        }
        #expect(look.read([], used(1000, 900)).level == .nominal)
        #expect(look.read([], used(1010, 900)).level == .nominal)
        #expect(look.read([], used(1020, 902)).level == .fair)
        let serious = look.read([], used(1030, 910))
        #expect(serious.level == .serious)
        #expect(serious.factors[0].text.contains("1.5 processors was exhausted during 33 %"))
    }

    @Test("disk pressure depends on the time until the disk is full at the recording's data rate")
    func disk() {
        // The data rate is 1 MB per second.
        func level(seconds: Int64) -> (PressureLevel, Nanoseconds?) {
            var look = SimulatedReadings()
            var last = look.read()
            for index in Int64(0)..<10 {
                last = look.read([]) {
                    $0.disk = DiskSpace(freeBytes: seconds * 1_000_000, recordedBytes: index * 1_000_000)
                }
                if index < 3 { #expect(last.diskTime == nil) }
            }
            return (last.level, last.diskTime)
        }
        #expect(level(seconds: 901) == (.nominal, .seconds(901)))
        #expect(level(seconds: 900) == (.fair, .seconds(900)))
        #expect(level(seconds: 300) == (.serious, .seconds(300)))
        #expect(level(seconds: 120) == (.critical, .seconds(120)))
        #expect(level(seconds: 30) == (.shutdown, .seconds(30)))
        #expect(level(seconds: 0) == (.shutdown, .zero))
        // Some quotas report negative free space for a full disk.
        #expect(level(seconds: -5) == (.shutdown, .zero))
    }

    @Test("a level rises immediately and falls in steps, eight seconds after its cause is gone")
    func holding() {
        var look = SimulatedReadings()
        func cpu(_ share: Double) -> (inout HostState) -> Void { Self.stall(.processor, some: share) }
        #expect(look.read([], cpu(0.1)).level == .nominal)
        #expect(look.read([], cpu(0.7)).level == .serious)
        for _ in 0..<8 { #expect(look.read([], cpu(0.3)).level == .serious) }
        #expect(look.read([], cpu(0.3)).level == .fair)
        #expect(look.read([], cpu(0.7)).level == .serious)
        // Fluctuations around the threshold don't change the level.
        for index in 0..<40 { #expect(look.read([], cpu(index % 4 == 3 ? 0.61 : 0.59)).level == .serious) }
        var levels: [PressureLevel] = []
        for _ in 0..<20 { levels.append(look.read([], cpu(0)).level) }
        #expect(levels == levels.sorted(by: >))
        #expect(levels.last == .nominal)
    }

    @Test("the worst factor comes first and sets the level, and each cause is listed once")
    func order() {
        var look = SimulatedReadings()
        let pressure = look.read([QueueAge(.encoder(room: 15), name: "program", intervals: 15)]) { state in
            Self.stall(.processor, some: 0.3)(&state)
            Self.zone(95, passive: 95, critical: 105)(&state)
            Self.zone(40, passive: 95, critical: 105)(&state)
            Self.battery(0.5)(&state)
        }
        #expect(pressure.level == .critical)
        #expect(pressure.factors.map(\.cause) == [.encoder, .temperature, .processorStall, .power])
    }

    @Test("missing sources are forwarded, and a computer that doesn't answer is reported")
    func missing() {
        var assessment = PressureAssessment()
        var state = HostState()
        state.missing = [MissingSource(.temperature, "there is none")]
        let read = ClockTime(nanoseconds: 0)
        func assess(_ seconds: Int64) -> SystemPressure {
            assessment.assess(state, readAt: read, queues: [], at: read + .seconds(seconds))
        }
        #expect(assess(5).missing == state.missing)
        let late = assess(12)
        #expect(late.missing.map(\.source) == [.all, .temperature])
        #expect(late.missing[0].description.contains("12 s"))
        #expect(late.level == .nominal)
    }
}
