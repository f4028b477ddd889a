import MulticamMedia
import MulticamPlan
import MulticamProfiles

/// A program that selects cameras by preference and policy. This is a value type that receives events and
/// returns the camera in use.
struct ChoosingApplication {
    enum Step {
        /// The program starts with these cameras connected. The history of earlier launches is kept.
        case launch([CaptureDevice])
        /// The program starts with this camera at its first launch.
        case begin(with: CaptureDevice)
        case plug(CaptureDevice)
        case unplug(CaptureDevice)
        /// A problem, such as use by another program, begins or ends.
        case change(CaptureDevice, CaptureDevice.Problem?)
        /// The user chooses a camera.
        case choose(CaptureDevice)
        /// The user presses the button that switches between two cameras.
        case pressSwitch
        case record
        case stopRecording
    }

    let policy: CameraPolicy
    private var preference = CameraPreference()
    private var selection: CameraSelection
    private var history = DeviceHistory()
    private var streamed: [DeviceIdentity] = []
    /// The camera in use, connected or not.
    private(set) var current: CaptureDevice?
    /// The reason why the last step was refused.
    private(set) var refusal: SelectionError?

    init(_ policy: CameraPolicy) {
        self.policy = policy
        selection = CameraSelection(policy: policy)
    }

    var preferred: CaptureDevice? { preference.systemPreferred?.device }

    mutating func perform(_ step: Step) {
        refusal = nil
        switch step {
        case .launch(let cameras):
            preference = CameraPreference(history: history, streamed: streamed, present: cameras)
            // A fixed choice persists across launches. With the other policies, the selection starts again.
            selection = CameraSelection(
                policy: policy, current: policy == .fixed ? current?.identity : nil)
            if policy != .fixed { current = nil }
            apply(selection.decide(with: preference))
        case .begin(let camera):
            preference.history.propose(camera.identity, by: "application", among: preference.cameras)
            // The selection before the program has used any camera.
            selection = CameraSelection(policy: policy)
            current = nil
            apply(selection.decide(with: preference))
        case .plug(let camera): handle(.connected(camera))
        case .unplug(let camera): handle(.disconnected(camera))
        case .change(let camera, let problem): handle(.changed(camera.with(problem), before: camera))
        case .choose(let camera): choose(camera)
        case .pressSwitch:
            do throws(SelectionError) {
                guard let current else { return }
                choose(try CameraSwitch.next(after: current, among: preference.cameras))
            } catch {
                refusal = error
            }
        case .record: selection.recordingBegan()
        case .stopRecording: apply(selection.recordingEnded(preference))
        }
        history = preference.history
    }

    private mutating func handle(_ change: DeviceChange) {
        preference.handle([change])
        apply(selection.decide(with: preference))
    }

    private mutating func choose(_ camera: CaptureDevice) {
        var told = preference
        told.choose(camera.identity)
        do throws(SelectionError) {
            apply(try selection.choose(camera, told))
            preference = told
        } catch {
            refusal = error
        }
    }

    private mutating func apply(_ decision: CameraSelection.Decision) {
        guard case .use(let camera) = decision else { return }
        current = camera
        streamed.removeAll { $0 == camera.identity }
        streamed.insert(camera.identity, at: 0)
    }
}
