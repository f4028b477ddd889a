import Foundation
import MulticamMedia
import MulticamPlan
import Testing

@testable import MulticamSetup

// With hundreds of parallel tests, a test may wait minutes for its turn.
@Suite("The preferred camera", .timeLimit(.minutes(240)))
struct DeviceChoiceTests {
    /// A computer with camera nodes that come and go, and a file for choices.
    private final class MachineFixture {
        let machine: NodeMachine
        let folder = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"

        init() throws {
            machine = try NodeMachine()
        }

        deinit {
            // The folder doesn't exist if nothing was chosen.
            guard FileManager.default.fileExists(atPath: folder) else { return }
            do { try FileManager.default.removeItem(atPath: folder) } catch {
                Issue.record(error)
            }
        }

        var file: StateFile<ChoiceStore> {
            StateFile(path: folder + "/" + ChoiceStore.fileName, lockTimeout: .seconds(3600))
        }

        /// Simulates the launch of an application.
        func launch(_ application: ApplicationIdentifier = .multicam) throws -> DeviceChoice {
            DeviceChoice(
                application: application, defaultPosition: .front,
                discovery: try DiscoverySession(listing: machine.workingCatalog), file: file,
                stored: file.read().content)
        }
    }

    @Test("a new camera is preferred, a later choice overrides it, and changes are reported in order")
    func follows() async throws {
        let place = try MachineFixture()
        try place.machine.plug(0, name: "Desk")
        let choice = try place.launch()
        #expect(choice.systemPreferredCamera?.device.name == "Desk")
        #expect(choice.systemPreferredCamera?.reason == .ready)
        #expect(choice.userPreferredCamera == nil)
        var preferred = choice.systemPreferredCameras().makeAsyncIterator()
        var chosen = choice.userPreferredCameras().makeAsyncIterator()
        #expect(await preferred.next()??.device.name == "Desk")
        #expect(await chosen.next() == .some(nil))

        try place.machine.plug(3, name: "Face")
        #expect(await preferred.next()??.reason == .pluggedIn)
        #expect(choice.systemPreferredCamera?.device.name == "Face")
        #expect(choice.userPreferredCamera == nil)

        let desk = try #require(choice.discovery.devices.first)
        #expect(try await choice.setUserPreferredCamera(nil) == nil)
        #expect(choice.systemPreferredCamera?.device.name == "Face")
        #expect(try await choice.setUserPreferredCamera(desk) == nil)
        #expect(await preferred.next()??.device == desk)
        #expect(await chosen.next() == .some(desk))

        try place.machine.unplug(0)
        #expect(await preferred.next()??.device.name == "Face")
        #expect(await chosen.next() == .some(nil))
        try place.machine.unplug(3)
        #expect(await preferred.next() == .some(nil))
        choice.stop()
        #expect(await preferred.next() == nil)
    }

    @Test("a device's state follows its disconnection, return, and selection")
    func state() async throws {
        let place = try MachineFixture()
        try place.machine.plug(0, name: "Desk")
        let choice = try place.launch()
        let desk = try #require(choice.discovery.devices.first)
        #expect(await choice.state(of: desk).isConnected)
        var states = choice.states(of: desk).makeAsyncIterator()
        let first = try #require(await states.next())
        #expect(first.isConnected && first.isSystemPreferred && !first.isUserPreferred && !first.isSuspended)
        #expect(first.device == desk)

        try place.machine.plug(3, name: "Face")
        #expect(await states.next()?.isSystemPreferred == false)
        #expect(try await choice.setUserPreferredCamera(desk) == nil)
        let chosen = try #require(await states.next())
        #expect(chosen.isSystemPreferred && chosen.isUserPreferred)

        try place.machine.unplug(0)
        let away = try #require(await states.next())
        #expect(!away.isConnected && !away.isSystemPreferred && !away.isUserPreferred && away.device == desk)
        #expect(await choice.state(of: desk) == away)
        try place.machine.plug(0, name: "Desk")
        #expect(await states.next()?.isConnected == true)
        choice.stop()
        while let last = await states.next() { #expect(last.device.name == "Desk") }
    }

    @Test("device changes and preference changes arrive in a single sequence")
    func events() async throws {
        let place = try MachineFixture()
        try place.machine.plug(0, name: "Desk")
        let choice = try place.launch()
        var events = choice.events().makeAsyncIterator()
        func words(_ event: ChoiceEvent?) -> String {
            switch event {
            case .device(.present(let device))?: "present \(device.name)"
            case .device(.connected(let device))?: "arrived \(device.name)"
            case .device(.problem)?: "problem"
            case .camera(let preferred)?: "camera \(preferred?.device.name ?? "none")"
            case .microphone(let preferred)?: "microphone \(preferred?.device.name ?? "none")"
            case .device?: "another"
            case nil: "end"
            }
        }
        var told: [String] = []
        for _ in 0..<4 { told.append(words(await events.next())) }
        #expect(told == ["present Desk", "problem", "camera Desk", "microphone none"])
        try place.machine.plug(3, name: "Face")
        #expect(words(await events.next()) == "arrived Face")
        #expect(words(await events.next()) == "camera Face")
        choice.stop()
        #expect(words(await events.next()) == "end")
    }

    @Test(
        "choices persist across launches for each application, and connecting a device creates none"
    )
    func remembered() async throws {
        let place = try MachineFixture()
        try place.machine.plug(0, name: "Desk")
        try place.machine.plug(3, name: "Face")
        let call = try #require(ApplicationIdentifier("org.example.call"))
        do {
            let choice = try place.launch()
            let face = try #require(choice.discovery.devices.last)
            #expect(try await choice.setUserPreferredCamera(face) == nil)
        }
        let again = try place.launch()
        #expect(again.systemPreferredCamera?.device.name == "Face")
        #expect(again.systemPreferredCamera?.reason == .chosen)
        let other = try place.launch(call)
        #expect(other.userPreferredCamera == nil)
        #expect(other.systemPreferredCamera?.device.name == "Desk")
        let desk = try #require(other.discovery.devices.first)
        #expect(try await other.proposeCamera(desk) == nil)
        #expect(other.systemPreferredCamera?.reason == .proposed)
        #expect(place.file.read().content[call].cameras.proposed.map(\.identity) == [desk.identity])
        #expect(place.file.read().content[.multicam].cameras.chosen.map(\.identity.name) == ["Face"])
    }

    @Test("choices made by another process take effect")
    func otherProcess() async throws {
        let place = try MachineFixture()
        try place.machine.plug(0, name: "Desk")
        try place.machine.plug(3, name: "Face")
        let choice = try place.launch()
        var preferred = choice.systemPreferredCameras().makeAsyncIterator()
        #expect(await preferred.next()??.device.name == "Desk")
        let cameras = choice.discovery.devices
        let face = try #require(cameras.last)
        let warning = try place.file.update { memory in
            memory[.multicam].cameras.choose(face.identity, among: cameras)
        }
        #expect(warning == nil)
        #expect(await preferred.next()??.device == face)
    }

    @Test("without a file, a choice lasts until the program ends, with a warning")
    func nowhere() async throws {
        let machine = try NodeMachine()
        try machine.plug(0, name: "Desk")
        try machine.plug(3, name: "Face")
        let choice = DeviceChoice(
            application: .multicam, defaultPosition: .front,
            discovery: try DiscoverySession(listing: machine.workingCatalog), file: nil, stored: ChoiceStore()
        )
        let face = try #require(choice.discovery.devices.last)
        #expect(try await choice.setUserPreferredCamera(face)?.contains("XDG_STATE_HOME") == true)
        #expect(choice.systemPreferredCamera?.device == face)
    }
}
