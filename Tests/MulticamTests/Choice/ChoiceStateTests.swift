import MulticamMedia
import Testing

@testable import MulticamPlan
@testable import MulticamSetup

@Suite("Stored choices read while choices are made")
struct ChoiceStateTests {
    private let front = webcam(port: 1, serial: "A", name: "Front")
    private let back = webcam(port: 2, serial: "B", name: "Back")

    private func store(choosing camera: CaptureDevice) -> ChoiceStore {
        var memory = ChoiceStore()
        memory[.multicam].cameras.choose(camera.identity, among: [front, back])
        return memory
    }

    @Test("an older choice read late from the disk doesn't replace a newer one that is being saved")
    func overtaken() {
        var state = ChoiceState(
            cameras: CameraPreference(present: [front, back]), microphones: MicrophoneRoute())
        let before = state.revision
        state.writeBegan()
        state.choose(camera: back.identity)
        let isOldOnTheWay = state.adopt(store(choosing: front), of: .multicam, readAt: before)
        #expect(!isOldOnTheWay && state.cameras.userPreferred == back)
        let between = state.revision
        state.writeEnded()
        // The file was read before our choice was saved, so it must be read again.
        let isOldAfterwards = state.adopt(store(choosing: front), of: .multicam, readAt: between)
        #expect(isOldAfterwards && state.cameras.userPreferred == back)
        // The file was read after our choice was saved, so another process made a later choice.
        let isOldAtLast = state.adopt(
            store(choosing: front), of: .multicam, readAt: state.revision)
        #expect(!isOldAtLast && state.cameras.userPreferred == front)
    }
}
