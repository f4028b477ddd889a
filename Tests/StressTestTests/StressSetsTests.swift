import Media
import StressTest
import Testing

@Suite("Which sets of cameras a stress test tries")
struct StressSetsTests {
    private let roles = ["a", "b", "c", "d"]

    private func grade(_ name: String, _ roles: [String]) -> StressGrade {
        let format = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 640, height: 480), rate: FrameRate(30))
        return StressGrade(name: name, formats: Dictionary(uniqueKeysWithValues: roles.map { ($0, format) }))
    }

    /// Tries all; a set holds when `holds` says so.
    private func run(
        _ sets: inout StressSets, holds: (String, [String]) -> Bool
    ) -> [String] {
        var tried: [String] = []
        while let candidate = sets.next() {
            let isHeld = holds(candidate.grade, candidate.roles)
            tried.append("\(candidate.grade) \(candidate.roles.joined())\(isHeld ? "" : "!")")
            sets.note(candidate, held: isHeld)
        }
        return tried
    }

    @Test("Where the whole holds, nothing smaller is tried, and it is said why")
    func whole() {
        var sets = StressSets(roles: roles, grades: [grade("x", roles), grade("y", roles)])
        #expect(run(&sets) { _, _ in true } == ["x abcd", "y abcd"])
        #expect(
            sets.leftOut == ["Parts of the whole were not tried where the whole held (x, y): they need less."]
        )
    }

    @Test("Where two cameras do not go together, every largest set without both is found")
    func pair() {
        var sets = StressSets(roles: roles, grades: [grade("x", roles)])
        let tried = run(&sets) { _, set in !(set.contains("a") && set.contains("c")) }
        #expect(
            tried == [
                "x abcd!", "x a", "x b", "x c", "x d", "x ab", "x ac!", "x ad", "x bc", "x bd", "x cd",
                "x abd",
                "x bcd",
            ])
        #expect(sets.leftOut.contains { $0.hasPrefix("Sets with a part that failed by itself") })
    }

    @Test("A camera that fails alone is in no other set; wholes of all grades come before parts of any")
    func single() {
        var sets = StressSets(
            roles: ["a", "b", "c"], grades: [grade("x", ["a", "b", "c"]), grade("y", ["a", "b", "c"])])
        let tried = run(&sets) { grade, set in grade == "y" || !set.contains("b") }
        #expect(tried == ["x abc!", "y abc", "x a", "x b!", "x c", "x ac"])
    }

    @Test("A grade that one camera does not offer has the others as its whole")
    func missing() {
        var sets = StressSets(roles: ["a", "b", "c"], grades: [grade("raw", ["a", "c"])])
        #expect(run(&sets) { _, set in set.count < 2 } == ["raw ac!", "raw a", "raw c"])
        #expect(sets.leftOut.contains("b was not tried in “raw”: no such format is offered."))
    }

    @Test("No more sets than the limit are tried, and what is left out is said")
    func limit() {
        let many = (0..<12).map { "c\($0)" }
        var sets = StressSets(roles: many, grades: [grade("x", many)], limit: 20)
        #expect(run(&sets) { _, set in set.count < 3 }.count == 20)
        #expect(
            sets.leftOut.contains { $0.contains("No more than 20 sets are tried: 59 more of 2 cameras") },
            "\(sets.leftOut)")
    }

    @Test("One camera is its own whole")
    func one() {
        var sets = StressSets(roles: ["a"], grades: [grade("x", ["a"])])
        #expect(run(&sets) { _, _ in false } == ["x a!"])
        #expect(sets.leftOut.isEmpty)
    }
}
