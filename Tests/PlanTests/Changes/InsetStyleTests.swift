import MulticamMedia
import Testing

@testable import MulticamPlan
@testable import MulticamProfiles

@Suite("Numbers of the inset style")
struct InsetStyleTests {
    private static let cameras = "cameras: { desk: , face: }\n"

    private func read(_ program: String) throws(ProfileError) -> InsetStyle? {
        let text = Self.cameras + "program: { \(program) }\n"
        return try Profile(yaml: Array(text.utf8), file: "studio.yaml").program?.style
    }

    @Test(
        "each number is read from a profile within its range, and is refused outside it",
        arguments: InsetStyle.Number.allCases)
    func profile(number: InsetStyle.Number) throws {
        let usual = InsetStyle(fit: .contain)
        for value in [number.range.lowerBound, number.range.upperBound] {
            let style = try read("\(number.rawValue): \(number.text(value))")
            #expect(style?[number] == value)
            for other in InsetStyle.Number.allCases where other != number {
                #expect(style?[other] == usual[other])
            }
        }
        for value in [number.range.lowerBound - 1, number.range.upperBound + 1, .infinity] {
            let error = #expect(throws: ProfileError.self) {
                try read("\(number.rawValue): \(value == .infinity ? ".inf" : number.text(value))")
            }
            #expect(error.map { "\($0)".contains(number.expected) } == true)
        }
    }

    @Test(
        "each number can be changed while running, is part of saved scenes, and is unchanged after a refusal",
        arguments: InsetStyle.Number.allCases)
    func change(number: InsetStyle.Number) throws {
        let text = Self.cameras + "program: {}\n"
        let devices = [
            "desk": SessionPlanTests.camera(node: "/dev/video0"),
            "face": SessionPlanTests.camera(node: "/dev/video2"),
        ]
        var running = RunningPlan(try SessionPlan(profile: SessionPlanTests.profile(text), devices: devices))
        func arrange(_ value: String) throws {
            let change = try #require(try SessionChange(words: ["arrange", "\(number.rawValue)=\(value)"]))
            #expect(change.words == ["arrange", "\(number.rawValue)=\(value)"])
            _ = try running.apply(change)
        }
        let value = number.range.upperBound
        try arrange(number.text(value))
        let plan = running.plan
        #expect(plan.program?.arrangement.style[number] == value)
        let error = #expect(throws: SessionChangeError.self) { try arrange("\(Int(value) + 1)") }
        #expect(error.map { "\($0)".contains(number.expected) } == true)
        #expect(running.plan == plan)
        let scene = try #require(plan.scene(named: "wide", withAudio: false))
        let saved = try SceneText(Array(text.utf8), file: "studio.yaml").saving(scene)
        #expect(try Profile(yaml: saved, file: "studio.yaml").scenes.first?.style[number] == value)
    }
}
