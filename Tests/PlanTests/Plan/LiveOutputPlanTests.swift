import Foundation
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

@Suite("Live outputs of a plan")
struct LiveOutputPlanTests {
    private static let devices = """
        cameras:
          desk: { device: any, size: 1920x1080, rate: 30 }
          face: { device: any, size: 1280x720, rate: 30, rotation: 90 }
        microphones: { host: { device: default } }
        program: { size: 1920x1080, rate: 30, layout: single, main: desk, audio: { mix: [host] } }

        """

    private static func plan(_ text: String) throws(ProfileError) -> SessionPlan {
        let profile = try SessionPlanTests.profile(devices + text)
        let cameras = profile.cameras.map { ($0.role, SessionPlanTests.synthetic()) }
        let microphones = profile.microphones.map {
            ($0.role, SessionPlanTests.microphone(AudioFormat(rate: 48_000, channels: 1)))
        }
        return try SessionPlan(
            profile: profile, devices: Dictionary(uniqueKeysWithValues: cameras + microphones))
    }

    @Test("live outputs are values without keys: content, destination, and frame format")
    func values() throws {
        let plan = try Self.plan(
            """
            publish:
              show: { url: "srt://host:9000?passphrase=0123456789secret" }
              meet: { url: "whip+https://host/path", video: { size: 1280x720 } }
              cam: { url: "v4l2:/dev/video9", of: face }
              mic: { url: "pulse:Studio mix", start: session }
            """)
        #expect(
            plan.liveOutputs.map(\.address) == [
                "srt://host:9000", "whip+https://host:443", "v4l2:/dev/video9", "pulse:Studio mix",
            ])
        #expect(plan.liveOutputs.map(\.kind) == [.srt, .whip, .v4l2, .pulse])
        #expect(plan.liveOutputs[0].frames == nil && plan.liveOutputs[3].frames == nil)
        let meet = try #require(plan.liveOutputs[1].frames)
        #expect(meet.size == FrameSize(width: 1280, height: 720) && meet.rate == FrameRate(30))
        #expect(meet.bitrate == 2_800_000)
        // A virtual camera gets the camera's frames, upright and without an encoder.
        #expect(
            plan.liveOutputs[2].frames
                == PlannedLiveOutput.Frames(size: FrameSize(width: 720, height: 1280), rate: FrameRate(30)))
        let text = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
        #expect(!text.contains("secret"))
        #expect(plan.notes.contains { $0.hasPrefix("show: the profile contains the stream key") })
    }

    @Test("a camera used only by a live output is opened")
    func opened() throws {
        let roles = try Self.plan("publish: { cam: { url: \"v4l2:/dev/video9\", of: face } }").cameras.map(
            \.role)
        #expect(roles == ["desk", "face"])
        #expect(try Self.plan("").cameras.map(\.role) == ["desk"])
    }

    @Test(
        "a separate encoder costs as much as a track's encoder; the recording's packets cost almost nothing"
    )
    func cost() throws {
        let machine = HardwareCostTests.machine()
        func parts(_ text: String) throws -> [String: Double] {
            let cost = HardwareCost(of: try Self.plan(text), on: machine)
            let term = try #require(cost.terms.first { $0.resource == "cpu" })
            return Dictionary(uniqueKeysWithValues: term.parts.map { ($0.owner, $0.used) })
        }
        let none = try parts("")
        let packets = try parts("publish: { show: { url: \"srt://host:9000\" } }")
        let own = try parts(
            "publish: { show: { url: \"srt://host:9000\", video: { size: 1280x720, rate: 30 } } }")
        #expect(packets.filter { $0.key != "show" } == none)
        #expect(try #require(packets["show"]) < 0.02)
        // The output needs 30 frames of 921,600 pixels at 10 ns each, on 1.8 processors, plus scaling.
        let encoding = 30 * (921_600 * 10e-9 + 10e-6) / 1.8
        let share = try #require(own["show"])
        #expect(share > encoding && share < encoding * 1.3, "\(share) beside \(encoding)")
        let memory = HardwareCost(
            of: try Self.plan("publish: { show: { url: \"srt://host:9000\", video: { size: 1280x720 } } }"),
            on: machine)
        #expect(memory.terms.first { $0.resource == "memory" }?.parts.contains { $0.owner == "show" } == true)
    }

    @Test("an address stored outside the profile must have been read; one of the wrong kind is refused then")
    func unread() {
        let unread = #expect(throws: ProfileError.self) {
            _ = try Self.plan("publish: { show: { url_from: { env: KEY } } }")
        }
        #expect(unread?.description.contains("an address that has not been read") == true)
    }

    @Test("a virtual microphone is omitted from a session without microphones, and this is noted")
    func silent() throws {
        let profile = try SessionPlanTests.profile(Self.devices + "publish: { mic: { url: \"pulse:\" } }")
            .withoutMicrophones()
        let plan = try SessionPlan(
            profile: profile,
            devices: ["desk": SessionPlanTests.synthetic(), "face": SessionPlanTests.synthetic()])
        #expect(plan.liveOutputs.isEmpty)
        #expect(plan.notes.contains { $0.contains("the program does not have an audio mix") })
    }
}
