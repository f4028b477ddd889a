import MulticamMedia
import MulticamStressTest
import Testing

@Suite("Camera sets of a stress test")
struct StressSetsTests {
    private let roles = ["a", "b", "c", "d"]

    private func grade(_ name: String, _ roles: [String]) -> StressGrade {
        let format = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30))
        return StressGrade(name: name, formats: Dictionary(uniqueKeysWithValues: roles.map { ($0, format) }))
    }

    /// Tries all sets. `holds` returns whether a set passes.
    private func run(
        _ sets: inout StressSets, holds: (String, [String]) -> Bool
    ) -> [String] {
        var tried: [String] = []
        while let candidate = sets.next() {
            let isHeld = holds(candidate.grade, candidate.roles)
            tried.append("\(candidate.grade) \(candidate.roles.joined())\(isHeld ? "" : "!")")
            sets.record(candidate, passed: isHeld)
        }
        return tried
    }

    @Test("If all cameras pass together, smaller sets are skipped, and the reason is given")
    func whole() {
        var sets = StressSets(roles: roles, grades: [grade("x", roles), grade("y", roles)])
        #expect(run(&sets) { _, _ in true } == ["x abcd", "y abcd"])
        #expect(
            sets.omissions == [
                "With formats in which all cameras passed together (x, y), smaller sets were not tested, because they need fewer resources."
            ]
        )
    }

    @Test("If two cameras fail together, all largest sets without that pair are found")
    func pair() {
        var sets = StressSets(roles: roles, grades: [grade("x", roles)])
        let tried = run(&sets) { _, set in !(set.contains("a") && set.contains("c")) }
        #expect(
            tried == [
                "x abcd!", "x a", "x b", "x c", "x d", "x ab", "x ac!", "x ad", "x bc", "x bd", "x cd",
                "x abd",
                "x bcd",
            ])
        #expect(sets.omissions.contains { $0.hasPrefix("Sets with a failed subset") })
    }

    @Test("A camera that fails by itself is not in larger sets; full sets of all grades precede subsets")
    func single() {
        var sets = StressSets(
            roles: ["a", "b", "c"], grades: [grade("x", ["a", "b", "c"]), grade("y", ["a", "b", "c"])])
        let tried = run(&sets) { grade, set in grade == "y" || !set.contains("b") }
        #expect(tried == ["x abc!", "y abc", "x a", "x b!", "x c", "x ac"])
    }

    @Test("The full set of a grade omits cameras that do not offer it")
    func missing() {
        var sets = StressSets(roles: ["a", "b", "c"], grades: [grade("raw", ["a", "c"])])
        #expect(run(&sets) { _, set in set.count < 2 } == ["raw ac!", "raw a", "raw c"])
        #expect(
            sets.omissions.contains(
                "b was not tested with “raw” formats, because this camera does not offer any."))
    }

    @Test("The number of sets tried is limited, and the omitted ones are reported")
    func limit() {
        let many = (0..<12).map { "c\($0)" }
        var sets = StressSets(roles: many, grades: [grade("x", many)], limit: 20)
        #expect(run(&sets) { _, set in set.count < 3 }.count == 20)
        #expect(
            sets.omissions.contains {
                $0.contains("At most 20 sets are tested. Skipped: 59 more sets of 2 cameras")
            },
            "\(sets.omissions)")
    }

    @Test("A single camera is a full set")
    func one() {
        var sets = StressSets(roles: ["a"], grades: [grade("x", ["a"])])
        #expect(run(&sets) { _, _ in false } == ["x a!"])
        #expect(sets.omissions.isEmpty)
    }
}
