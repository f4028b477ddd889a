import MulticamMedia
import Testing

@testable import MulticamMonitoring

@Suite("pressure cost from the time left")
struct PressureCostTests {
    @Test(
        "time left maps to Apple's cost: below 1 unlimited, 1…2 about 15 min, 2…3 about 10 min, above 3 less",
        arguments: [
            (3600, 0.29), (1050, 1.0), (900, 1.5), (600, 2.5), (300, 3.5), (0, 4.5), (-10, 4.5),
        ] as [(Int64, Double)])
    func scale(seconds: Int64, cost: Double) {
        #expect(abs(PressureCost.value(timeLeft: .seconds(seconds)) - cost) < 0.01)
    }

    @Test("the cost falls continuously as the time left grows")
    func monotone() {
        let values = (0...3000).map { PressureCost.value(timeLeft: .seconds(Int64($0))) }
        #expect(values == values.sorted(by: >))
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 - $1 < 0.01 })
    }

    @Test("the nearest limit determines the cost, with a minimum for each pressure level")
    func nearest() {
        let disk = PressureCost.Deadline(limit: "the disk is full", timeLeft: .seconds(900))
        let battery = PressureCost.Deadline(limit: "the battery is empty", timeLeft: .seconds(7200))
        let cost = PressureCost(deadlines: [battery, disk], level: .nominal)
        #expect(cost.limit == "the disk is full" && cost.timeLeft == .seconds(900) && cost.value == 1.5)
        #expect(PressureCost(deadlines: [], level: .fair).value == 0)
        #expect(PressureCost(deadlines: [battery], level: .serious).value == 1)
        #expect(PressureCost(deadlines: [battery], level: .critical).value == 2)
        #expect(PressureCost(deadlines: [], level: .shutdown).value == 3)
    }

    @Test("a steadily rising temperature is extrapolated to its next threshold; a constant one costs nothing")
    func heat() {
        func cost(perMinute: Double, seconds: Int) -> PressureCost {
            var look = SimulatedReadings()
            var last = look.read()
            for second in 0..<seconds {
                let degrees = 60_000 + Int((perMinute * 1000 * Double(second) / 60).rounded())
                last = look.read([]) { state in
                    state.zones = [
                        ThermalZone(
                            name: "cpu", temperature: Temperature(millidegrees: degrees),
                            passive: Temperature(degrees: 80), critical: Temperature(degrees: 100))
                    ]
                }
            }
            return last.cost
        }
        #expect(cost(perMinute: 0, seconds: 60) == PressureCost(deadlines: [], level: .nominal))
        // The period is too short for a trend.
        #expect(cost(perMinute: 3, seconds: 15).timeLeft == nil)
        let rising = cost(perMinute: 3, seconds: 61)
        #expect(rising.limit == "cpu is hot enough to be throttled")
        // The remaining 17 °C are reached at 3 °C per minute.
        #expect(abs((rising.timeLeft?.inSeconds ?? 0) - 340) < 3)
        #expect(abs(rising.value - (4.5 - 340.0 / 300)) < 0.02)
        #expect(cost(perMinute: -3, seconds: 61).timeLeft == nil)
    }

    @Test("a battery's cost depends on its reported time to empty")
    func battery() {
        var look = SimulatedReadings()
        let pressure = look.read([]) {
            $0.power = PowerSupply(isDischarging: true, charge: 0.4, timeToEmpty: .seconds(600))
        }
        #expect(pressure.cost.value == 2.5 && pressure.cost.limit == "the battery is empty")
        #expect(pressure.level == .fair)
        #expect(pressure.factors[0].text.contains("10 min left"))
    }
}
