import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

/// Tests applications with different policies for choosing cameras.
@Suite("Camera selection of a program")
struct CameraSelectionTests {
    typealias Step = ChoosingApplication.Step

    /// A step and the camera in use after it.
    struct Moment: Sendable {
        let step: @Sendable () -> Step
        let camera: String?

        init(_ step: @escaping @Sendable @autoclosure () -> Step, _ camera: String?) {
            self.step = step
            self.camera = camera
        }
    }

    struct Scenario: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let policy: CameraPolicy
        let moments: [Moment]

        init(_ description: String, _ policy: CameraPolicy, _ moments: [Moment]) {
            testDescription = description
            self.policy = policy
            self.moments = moments
        }
    }

    static let front = SyntheticCameras.front
    static let back = SyntheticCameras.back
    static let display = SyntheticCameras.display
    static let stick = SyntheticCameras.stick
    static let builtIn = [front, back]

    static let following = [
        Scenario(
            "a code scanner begins with the back camera and follows what is plugged in, back again too",
            .follow,
            [
                Moment(.launch(builtIn), "front"), Moment(.begin(with: back), "back"),
                Moment(.plug(display), "display"), Moment(.unplug(display), "back"),
            ]),
        Scenario(
            "it offers no choice", .follow,
            [
                Moment(.launch(builtIn), "front"), Moment(.choose(back), "front"),
                Moment(.pressSwitch, "front"), Moment(.plug(display), "display"),
            ]),
        Scenario(
            "it begins with the back camera at each later launch", .follow,
            [
                Moment(.launch(builtIn), "front"), Moment(.begin(with: back), "back"),
                Moment(.plug(display), "display"), Moment(.launch(builtIn + [display]), "back"),
                Moment(.begin(with: front), "back"),
            ]),
        Scenario(
            "nothing to follow while all are away: what returns first is used", .follow,
            [
                Moment(.launch([display]), "display"), Moment(.unplug(display), "display"),
                Moment(.plug(stick), "stick"), Moment(.plug(display), "display"),
            ]),
    ]

    static let calls = [
        Scenario(
            "a call begins with the front camera", .followAndChoose,
            [Moment(.launch([back, front]), "front")]),
        Scenario(
            "or with an external one where there is no other", .followAndChoose,
            [Moment(.launch([back, display]), "display")]),
        Scenario(
            "a choice is remembered across launches", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.choose(back), "back"),
                Moment(.launch(builtIn), "back"),
            ]),
        Scenario(
            "what is plugged in later wins, and when it goes the choice counts again", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.choose(back), "back"),
                Moment(.plug(display), "display"), Moment(.unplug(display), "back"),
                Moment(.plug(display), "display"),
            ]),
        Scenario(
            "a choice after plugging in wins until something else is plugged in", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.plug(display), "display"),
                Moment(.choose(front), "front"), Moment(.plug(stick), "stick"),
                Moment(.unplug(stick), "front"),
            ]),
        Scenario(
            "when the chosen one goes, the one chosen before it is next", .followAndChoose,
            [
                Moment(.launch(builtIn + [display]), "front"), Moment(.choose(back), "back"),
                Moment(.choose(display), "display"), Moment(.unplug(display), "back"),
            ]),
        Scenario(
            "of two that were plugged in the earlier counts when the later goes", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.plug(display), "display"),
                Moment(.plug(stick), "stick"), Moment(.unplug(stick), "display"),
                Moment(.unplug(display), "front"),
            ]),
        Scenario(
            "plugging in counts now, not at the next launch", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.choose(back), "back"),
                Moment(.plug(display), "display"), Moment(.launch(builtIn + [display]), "back"),
            ]),
        Scenario(
            "an automatic switch is no choice", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.plug(display), "display"),
                Moment(.unplug(display), "front"), Moment(.choose(back), "back"),
                Moment(.plug(display), "display"), Moment(.unplug(display), "back"),
                Moment(.launch([front, back, display]), "back"),
            ]),
        Scenario(
            "without a choice, what streamed before is taken rather than another", .followAndChoose,
            [
                Moment(.launch([back]), "back"), Moment(.launch(builtIn), "back"),
            ]),
        Scenario(
            "one that another program has is taken only when there is no other", .followAndChoose,
            [
                Moment(.launch([front.with(.inUse(by: "call")), back]), "back")
            ]),
        Scenario(
            "nor one that may not be opened, until it may", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"),
                Moment(.plug(display.with(.noPermission(group: "video"))), "front"),
                Moment(.change(display.with(.noPermission(group: "video")), nil), "display"),
            ]),
        Scenario(
            "a built-in camera that appears was plugged in by nobody", .followAndChoose,
            [
                Moment(.launch([front]), "front"), Moment(.plug(back), "front"),
            ]),
    ]

    static let lists = [
        Scenario(
            "a browser begins with the preferred camera, and nothing changes by itself", .list,
            [
                Moment(.launch(builtIn), "front"), Moment(.plug(display), "front"),
                Moment(.unplug(front), "front"), Moment(.plug(front), "front"),
            ]),
        Scenario(
            "a choice is taken, and is first next time", .list,
            [
                Moment(.launch(builtIn), "front"), Moment(.choose(back), "back"),
                Moment(.plug(display), "back"), Moment(.launch(builtIn + [display]), "back"),
            ]),
        Scenario(
            "a choice during a recording is taken when it ends", .list,
            [
                Moment(.launch(builtIn), "front"), Moment(.record, "front"), Moment(.choose(back), "front"),
                Moment(.stopRecording, "back"),
            ]),
    ]

    static let fixed = [
        Scenario(
            "what is fixed stays, whatever is plugged in or chosen, today and tomorrow", .fixed,
            [
                Moment(.launch(builtIn), "front"), Moment(.plug(display), "front"),
                Moment(.choose(back), "front"), Moment(.unplug(front), "front"),
                Moment(.launch([back, display]), "front"), Moment(.plug(front), "front"),
            ])
    ]

    /// The application starts with the back camera, treats an external camera as front-facing, and never
    /// switches while recording.
    static let traditional = [
        Scenario(
            "a camera application starts with the back camera, once", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.begin(with: back), "back"),
                Moment(.choose(front), "front"), Moment(.launch(builtIn), "front"),
                Moment(.begin(with: back), "front"),
            ]),
        Scenario(
            "its button goes from back to front and again to back", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.begin(with: back), "back"),
                Moment(.pressSwitch, "front"), Moment(.pressSwitch, "back"),
            ]),
        Scenario(
            "with an external camera the button changes between that and the back", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.begin(with: back), "back"),
                Moment(.plug(display), "display"), Moment(.pressSwitch, "back"),
                Moment(.pressSwitch, "display"), Moment(.unplug(display), "back"),
                Moment(.pressSwitch, "front"),
            ]),
        Scenario(
            "it does not switch while it records, and asks again when that ends", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.begin(with: back), "back"),
                Moment(.record, "back"), Moment(.plug(display), "back"), Moment(.stopRecording, "display"),
            ]),
        Scenario(
            "what came and went during the recording leaves no trace", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.record, "front"), Moment(.plug(display), "front"),
                Moment(.unplug(display), "front"), Moment(.stopRecording, "front"),
            ]),
        Scenario(
            "its camera is waited for during the recording, and replaced after it", .followAndChoose,
            [
                Moment(.launch([back, display]), "display"), Moment(.record, "display"),
                Moment(.unplug(display), "display"), Moment(.stopRecording, "back"),
            ]),
        Scenario(
            "the button during a recording counts when that ends", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.record, "front"), Moment(.pressSwitch, "front"),
                Moment(.stopRecording, "back"),
            ]),
        Scenario(
            "what is plugged in after the button counts more", .followAndChoose,
            [
                Moment(.launch(builtIn), "front"), Moment(.record, "front"), Moment(.pressSwitch, "front"),
                Moment(.plug(display), "front"), Moment(.stopRecording, "display"),
            ]),
    ]

    @Test(
        "each step selects the camera that the policy requires",
        arguments: following + calls + lists + fixed + traditional)
    func story(_ story: Scenario) {
        var application = ChoosingApplication(story.policy)
        for (index, moment) in story.moments.enumerated() {
            application.perform(moment.step())
            #expect(application.current?.name == moment.camera, "step \(index + 1)")
        }
    }

    @Test("a browser lists a new camera first, although it does not switch to it")
    func list() {
        var application = ChoosingApplication(.list)
        application.perform(.launch(Self.builtIn))
        application.perform(.plug(Self.display))
        #expect(application.preferred == Self.display)
        #expect(application.current == Self.front)
    }

    @Test("a choice that is not offered is refused with a sentence and not stored")
    func refusals() {
        for policy in [CameraPolicy.follow, .fixed] {
            var application = ChoosingApplication(policy)
            application.perform(.launch(Self.builtIn))
            application.perform(.choose(Self.back))
            #expect(application.refusal == .noChoice(policy))
            #expect(
                application.refusal?.description.contains("`choice.policy` is `\(policy.rawValue)`") == true)
            #expect(application.preferred == Self.front)
        }
    }

    @Test("a camera used by another role is neither followed nor chosen")
    func taken() throws {
        var preference = CameraPreference(present: Self.builtIn)
        var selection = CameraSelection(
            policy: .followAndChoose, current: Self.front.identity, camerasInUse: [Self.display.identity])
        preference.handle([.connected(Self.display)])
        let atFirst = selection.decide(with: preference)
        #expect(atFirst == .keep)
        #expect(throws: SelectionError.inUse(Self.display)) {
            try selection.choose(Self.display, preference)
        }
        preference.handle([.connected(Self.stick)])
        let then = selection.decide(with: preference)
        #expect(then == .use(Self.stick))
    }
}
