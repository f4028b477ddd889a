import Foundation
import MulticamMedia
import MulticamProfiles
import Testing

@testable import MulticamPlan

@Suite("Cost of a running session")
struct RunningBudgetTests {
    private static func cameras(_ roles: String...) -> String {
        "cameras:\n" + roles.map { "  \($0): { device: any, size: 1280x720, rate: 30 }\n" }.joined()
    }

    private static let outputs = """
        microphones: { host: { device: default } }
        program: { size: 1280x720, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: encode, microphones: wav }

        """

    private static func plan(_ text: String) throws -> SessionPlan {
        let profile = try SessionPlanTests.profile(text)
        var devices = Dictionary(
            uniqueKeysWithValues: profile.cameras.map { ($0.role, SessionPlanTests.synthetic()) })
        devices["host"] = SessionPlanTests.microphone(AudioFormat(rate: 48_000, channels: 1))
        return try SessionPlan(profile: profile, devices: devices)
    }

    private static func offers(_ role: String) -> [OfferedFormat] {
        [(1280, 720), (640, 480), (640, 360)].map { width, height in
            OfferedFormat(
                pixel: .mjpeg, size: FrameSize(width: width, height: height),
                rates: .listed([FrameRate(30), FrameRate(20), FrameRate(15)]))
        }
    }

    /// Returns a running session that needs `share` of its machine.
    private static func running(
        _ text: String, share: Double, budget: String = "budget: { hardware: 1.0, policy: adapt }\n"
    ) throws -> RunningPlan {
        let plan = try plan(text + budget)
        let whole = HardwareCostTests.machine(processors: 1)
        let used = HardwareCost(of: plan, on: whole).used(of: "cpu")
        let machine = HardwareCostTests.machine(processors: used / share)
        let offers = plan.cameras.map { ($0.role, Self.offers($0.role)) }
        return RunningPlan(
            plan,
            devices: RunningDevices(
                offers: Dictionary(uniqueKeysWithValues: offers),
                slowestIntervals: ["desk": .milliseconds(70), "face": .milliseconds(70)]),
            budget: RunningBudget(machine: machine, duration: nil))
    }

    private static func added(_ role: String, to running: inout RunningPlan, like plan: SessionPlan) throws {
        let camera = try #require(plan.cameras.first { $0.role == role })
        let track = try #require(plan.cameraTracks.first { $0.role == role })
        try running.add(camera, track, offers: offers(role))
    }

    @Test(
        "the cost equals a new plan of the same devices after one was added, one removed, and one changed"
    )
    func equal() throws {
        let fresh = try Self.plan(Self.cameras("desk", "face", "guest") + Self.outputs)
        var running = try Self.running(Self.cameras("desk", "face") + Self.outputs, share: 0.5)
        let machine = try #require(running.budget?.machine)
        let before = try #require(running.cost)
        #expect(abs(before.used(of: "cpu") - 0.5) < 0.001)
        try Self.added("guest", to: &running, like: fresh)
        let joined = try #require(running.cost)
        let wanted = HardwareCost(of: fresh, on: machine)
        #expect(joined.terms.map(\.resource) == wanted.terms.map(\.resource))
        for (live, planned) in zip(joined.terms, wanted.terms) {
            #expect(abs(live.used / planned.used - 1) < 0.01, "\(live.resource)")
        }
        _ = try running.apply(.removed(role: "guest"))
        #expect(running.cost == before)
        let smaller = Self.cameras("desk", "face").replacingOccurrences(
            of: "face: { device: any, size: 1280x720", with: "face: { device: any, size: 640x360")
        _ = try running.apply(.format(role: "face", FrameSize(width: 640, height: 360), nil))
        let changed = try #require(running.cost)
        // The encoded track keeps its size, which a new plan would lower.
        let planned = HardwareCost(of: try Self.plan(smaller + Self.outputs), on: machine)
        #expect(changed.used(of: "thread:program") == planned.used(of: "thread:program"))
        #expect(changed.used(of: "cpu") < before.used(of: "cpu"))
    }

    @Test("a camera that is off costs only the slate in its encoded track")
    func off() throws {
        var running = try Self.running(Self.cameras("desk", "face") + Self.outputs, share: 0.5)
        let before = try #require(running.cost)
        _ = try running.apply(.enabled(role: "face", false))
        let off = try #require(running.cost)
        #expect(off.used(of: "cpu") < before.used(of: "cpu"))
        #expect(off.used(of: "cpu") > before.used(of: "cpu") / 2)
        _ = try running.apply(.enabled(role: "face", true))
        #expect(running.cost == before)
    }

    @Test("with the policy `refuse`, a change above the budget is refused, with an alternative that fits")
    func refused() throws {
        let fresh = try Self.plan(Self.cameras("desk", "face", "guest") + Self.outputs)
        let before = try Self.running(
            Self.cameras("desk", "face") + Self.outputs, share: 0.8,
            budget: "budget: { hardware: 1.0, policy: refuse }\n")
        var running = before
        try Self.added("guest", to: &running, like: fresh)
        let asked = running
        let error = #expect(throws: SessionChangeError.self) {
            try running.fitToBudget(since: before, requested: [], words: "add guest virtual:clap")
        }
        let text = try #require(error?.description)
        #expect(error?.reason == .overBudget)
        #expect(text.hasPrefix("`add guest virtual:clap` would be over budget: cpu 1."), "\(text)")
        #expect(text.contains("the profile's policy is `refuse`"), "\(text)")
        #expect(
            text.hasSuffix("use `disable face`.") || text.hasSuffix(" would stay within the budget."),
            "\(text)")
        #expect(running == asked)
    }

    @Test(
        "with the policy `adapt`, the session is reduced to the budget, from the last camera and only as needed"
    )
    func reduced() throws {
        let fresh = try Self.plan(Self.cameras("desk", "face", "guest") + Self.outputs)
        let before = try Self.running(Self.cameras("desk", "face") + Self.outputs, share: 0.8)
        var running = before
        try Self.added("guest", to: &running, like: fresh)
        #expect(try #require(running.cost?.total) > 1)
        var slower = running
        _ = try slower.apply(
            .format(role: "guest", FrameSize(width: 1280, height: 720), FrameRate(20)))
        // This budget is too small for some of the guest's frames.
        let limit = try #require(slower.cost?.total) + 1e-5
        running.plan.budget.hardwareCost = limit
        var start = before
        start.plan.budget.hardwareCost = limit
        let kept = try running.fitToBudget(since: start, requested: [], words: "add guest x")
        #expect(kept.reductions == ["guest 1280x720@30 → 1280x720@20"])
        guard case .setFormat("guest", let format) = kept.orders.first else {
            return #expect(Bool(false), "\(kept.orders)")
        }
        #expect(kept.orders.count == 1 && format?.rate == FrameRate(20))
        #expect(try #require(running.cost?.total) <= limit)
        // A camera with a requested format keeps this format, and the next camera is reduced.
        var asked = start
        asked.plan.budget.hardwareCost = 0.79
        start.plan.budget.hardwareCost = 0.79
        _ = try asked.apply(.format(role: "face", FrameSize(width: 640, height: 360), nil))
        start = asked
        asked.plan.budget.hardwareCost = try #require(asked.cost?.total) + 0.01
        start.plan.budget.hardwareCost = asked.plan.budget.hardwareCost
        _ = try asked.apply(.format(role: "face", FrameSize(width: 1280, height: 720), nil))
        let other = try asked.fitToBudget(since: start, requested: ["face"], words: "format face 1280x720")
        #expect(other.reductions.allSatisfy { $0.hasPrefix("desk ") } && !other.reductions.isEmpty)
    }

    @Test(
        "a virtual camera started by a command costs as much as one in the profile, and is refused above the budget"
    )
    func published() throws {
        let text = Self.cameras("desk", "face") + Self.outputs
        let adHoc = PlannedLiveOutput(
            name: "cam", kind: .v4l2, address: "v4l2:/dev/video9", start: .command)
        let before = try Self.running(
            text, share: 0.999, budget: "budget: { hardware: 1.0, policy: refuse }\n")
        let named = try Self.plan(
            text + "publish: { cam: { url: \"v4l2:/dev/video9\", start: command } }\n"
                + "budget: { hardware: 1.0, policy: refuse }\n")
        var running = before
        running.publish(adHoc)
        running.publish(adHoc)
        #expect(running.plan.liveOutputs == named.liveOutputs && running.plan == named)
        #expect(running.cost == before.budget?.cost(of: named))
        let error = #expect(throws: SessionChangeError.self) {
            try running.fitToBudget(since: before, requested: [], words: "publish v4l2:/dev/video9")
        }
        #expect(error?.reason == .overBudget)
        #expect(error?.description.contains("`publish v4l2:/dev/video9` would be over budget") == true)
        running.unpublish("cam")
        #expect(running == before)
    }

    @Test("a session above the budget may stay there or get cheaper; only a more expensive change is refused")
    func above() throws {
        let before = try Self.running(
            Self.cameras("desk", "face") + Self.outputs, share: 1.4,
            budget: "budget: { hardware: 1.0, policy: refuse }\n")
        var running = before
        _ = try running.apply(.gain(role: "host", decibels: -3))
        _ = try running.apply(.visible(role: "face", false))
        let kept = try running.fitToBudget(since: before, requested: [], words: "hide face")
        #expect(kept.orders.isEmpty && kept.reductions.isEmpty)
        let hidden = running
        _ = try running.apply(.visible(role: "face", true))
        #expect(throws: SessionChangeError.self) {
            try running.fitToBudget(since: hidden, requested: [], words: "unhide face")
        }
    }

    @Test("without a machine the cost is unknown, and nothing is refused")
    func unknown() throws {
        let before = RunningPlan(try Self.plan(Self.cameras("desk", "face") + Self.outputs))
        var running = before
        _ = try running.apply(.layout(.grid))
        #expect(running.cost == nil)
        #expect(try running.fitToBudget(since: before, requested: [], words: "layout grid").orders.isEmpty)
    }
}
