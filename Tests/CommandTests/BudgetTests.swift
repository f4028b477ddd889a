import Foundation
import MulticamMedia
import MulticamSessionFolder
import Testing

@Suite("Budgets on the command line")
struct BudgetTests {
    /// A profile with two encoded cameras and a small program, which uses a noticeable share of any
    /// computer's CPU. The encoders cannot be reduced.
    private func profile(_ scratch: Scratch, budget: String) throws -> String {
        try scratch.file(
            "budget.yaml",
            """
            cameras:
              desk: { device: "virtual:clap?format=yuyv", size: 320x240, rate: 30 }
              face: { device: "virtual:clap?format=yuyv", size: 640x480, rate: 30 }
            microphones: { host: { device: "virtual:clap" } }
            program:
              { size: 320x240, rate: 30, layout: pip, main: desk, inset: face, video: { preset: ultrafast }, audio: { mix: [host] } }
            tracks: { cameras: encode, video: { preset: ultrafast } }
            limits: none
            budget: { \(budget) }
            """)
    }

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func plan(_ profile: String) throws -> [String: Any] {
        let outcome = try Multicam.run("plan", "--profile", profile, "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try json(outcome.output)
    }

    private func total(_ object: [String: Any]) throws -> Double {
        try #require((object["cost"] as? [String: Any])?["hardware"] as? Double)
    }

    /// Returns a budget that the plan slightly exceeds on any computer.
    private func tightBudget(_ scratch: Scratch) throws -> Double {
        try total(try plan(try profile(scratch, budget: "hardware: 10"))) * 0.97
    }

    @Test(
        "a plan over budget lists each reduction and the resulting plan, and exits with 0"
    )
    func reductions() throws {
        let scratch = try Scratch()
        let floors = "floors: { size: 320x240, rate: 30 }"
        let budget = try tightBudget(scratch)
        let path = try profile(scratch, budget: "hardware: \(budget), \(floors)")
        let plan = try plan(path)
        let steps = try #require(plan["reductions"] as? [[String: Any]])
        #expect(steps.first?["step"] as? String == "face size 640x480 → 320x240")
        #expect(try total(plan) > budget && plan["fits"] as? Bool == true)
        #expect(steps.first?["before"] as? Double == (try total(plan)))
        let result = try #require(plan["result"] as? [String: Any])
        #expect(try total(result) <= budget && steps.last?["after"] as? Double == (try total(result)))
        let tracks = try #require(result["tracks"] as? [[String: Any]])
        #expect(tracks.first { $0["name"] as? String == "face" }?["width"] as? Int == 320)
        let minutes = try #require((plan["disk"] as? [String: Any])?["minutes"] as? Double)
        #expect(minutes > 0)
        let words = try Multicam.run("plan", "--profile", path)
        #expect(words.status == 0 && words.output.contains("  1. face size 640x480 → 320x240: cost"))
        #expect(words.lines.contains { $0.hasPrefix("disk: ") && $0.contains(" free, enough for ") })
    }

    @Test(
        "a recording is reduced before it starts, and events and manifest list each reduction")
    func reducedRecording() throws {
        let scratch = try Scratch()
        let budget = try tightBudget(scratch)
        let path = try profile(
            scratch, budget: "hardware: \(budget), floors: { size: 320x240, rate: 30 }")
        let running = try RunningCommand(
            [Multicam.path, "record", "--profile", path, "--duration", "20s", "--json"], in: scratch)
        let folder = try #require(try running.event(SessionEvent.Started.self).fields.folder)
        // The disk thread writes the manifest asynchronously, possibly after the event.
        let deadline = Date(timeIntervalSinceNow: 60)
        while !FileManager.default.fileExists(atPath: folder + "/manifest.json"), Date() < deadline {
            Thread.sleep(forTimeInterval: 0.02)
        }
        let early = try Session(folder)
        let told = try #require(early.manifest.cost?.reductions)
        #expect(early.outcome == .recording && told.first?.step == "face size 640x480 → 320x240")
        let reduced = try running.event(SessionEvent.Reduced.self)
        #expect(reduced.at.nanoseconds == 0 && reduced.fields.step == told.first?.step)
        let outcome = try running.finish()
        #expect(outcome.status == 0 && outcome.errors.contains("reduced: face size 640x480 → 320x240: cpu "))
        let session = try Session(folder)
        let cost = try #require(session.manifest.cost)
        #expect(try #require(cost.hardware) <= budget + 0.0001)
        #expect(try #require(cost.terms).contains { $0.resource == "cpu" })
        #expect(cost.cpu_ns != nil && cost.pressure != nil)
        #expect(try session.track("face").width == 320)
        #expect(try session.track("face").rate == 30)
        #expect(try session.play("cameras/face.mov").frames == 600)
        let check = try Multicam.run([
            "python3", "-c",
            "import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))",
            folder + "/manifest.json", Self.schema,
        ])
        #expect(check.status == 0, "\(check.errors)")
    }

    private static let schema = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/manifest.schema.json").standardizedFileURL.path

    @Test(
        "a plan that cannot fit is rejected with status 5 and all cost terms, before devices are opened or files written",
        arguments: [
            ("policy: refuse", "the profile's policy is `refuse`", "policy: adapt"),
            ("policy: adapt, floors: { size: 640x480, rate: 30 }", "that the profile allows", "hardware: 0."),
        ])
    func refused(policy: String, why: String, remedy: String) throws {
        let scratch = try Scratch()
        let limit = policy.hasPrefix("policy: refuse") ? try tightBudget(scratch) : 0.000_01
        let path = try profile(scratch, budget: "hardware: \(limit), \(policy)")
        let outcome = try Multicam.run(
            "record", "--profile", path, "--duration", "1s", "--output", scratch.path + "/out")
        #expect(outcome.status == 5 && outcome.output.isEmpty)
        for text in ["over budget: cpu ", why, "ms of processor time per second", "cameras/face.mov", remedy]
        {
            #expect(outcome.errors.contains(text), "\(text)")
        }
        // The error also states that this machine's costs were never measured.
        #expect(outcome.errors.contains("calibrate --machine"))
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/out"))
        let plan = try plan(path)
        #expect(plan["fits"] as? Bool == false)
        #expect((plan["refusal"] as? String)?.contains(why) == true)
    }

    @Test(
        "an invalid budget is a profile error",
        arguments: [
            "hardware: 0", "hardware: -1", "hardware: lots", "policy: beg", "floors: { size: tiny }",
            "hardware: nan",
        ])
    func nonsense(budget: String) throws {
        let scratch = try Scratch()
        let outcome = try Multicam.run("plan", "--profile", try profile(scratch, budget: budget))
        #expect(outcome.status == 2 && outcome.errors.contains("budget"), "\(outcome.errors)")
    }
}
