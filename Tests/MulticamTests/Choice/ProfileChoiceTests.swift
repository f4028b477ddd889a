import MulticamCapture
import MulticamMedia
import Testing

@testable import MulticamPlan
@testable import MulticamProfiles
@testable import MulticamSetup

@Suite("Camera choices in a profile")
struct ProfileChoiceTests {
    private let studio = webcam(port: 1, serial: "A", name: "Studio")
    private let cheap = webcam(port: 2, serial: "B", name: "Cheap")
    private let third = webcam(port: 3, serial: "C", name: "Third")
    private var present: [CaptureDevice] { [studio, cheap, third] }

    private func profile(
        _ roles: [(String, String)], _ choice: ChoiceSettings = ChoiceSettings()
    ) -> Profile {
        Profile(
            name: "test", cameras: roles.map { CameraRole(role: $0.0, device: $0.1) }, choice: choice)
    }

    /// Returns the assigned cameras, the notes, and the proposed camera.
    private func assign(
        _ profile: Profile, _ memory: ChoiceStore = ChoiceStore(), among cameras: [CaptureDevice]? = nil,
        remembered: [String: DeviceIdentity] = [:]
    ) throws -> (names: [String: String], notes: [String], proposal: DeviceIdentity?) {
        let present = cameras ?? self.present
        let choice = try ProfileChoice(profile, memory, of: .multicam, present: present)
        let roles = profile.cameras.map { camera in
            RoleAssignment.Role(
                name: camera.role,
                selector: choice.selector(camera.device, isRemembered: remembered[camera.role] != nil))
        }
        let assignment = try RoleAssignment(
            roles, kind: .camera, present: present, remembered: remembered, leader: choice.leader,
            named: { selector throws(DeviceError) in
                try DeviceSelector.resolve(selector, kind: "camera", among: present)
            }, preferred: choice.preferredCamera, best: { choice.best($1, offering: nil) })
        return (assignment.devices.mapValues(\.name), choice.notes + assignment.notes, choice.proposal)
    }

    private func chosen(_ devices: (CaptureDevice, String?)...) -> ChoiceStore {
        var memory = ChoiceStore()
        for (device, role) in devices.reversed() {
            memory[.multicam].cameras.choose(device.identity, for: role, among: present)
        }
        return memory
    }

    @Test("the first role with `any` gets the preferred camera; other roles get the remaining cameras")
    func leader() throws {
        let result = try assign(
            profile([("side", "Third"), ("desk", "any"), ("face", "any")]), chosen((cheap, nil)))
        #expect(result.names == ["side": "Third", "desk": "Cheap", "face": "Studio"])
        #expect(result.notes.isEmpty)
    }

    @Test("a preference overrides the role's previous camera, and a note reports this")
    func preferred() throws {
        let result = try assign(
            profile([("desk", "any"), ("face", "any")]), chosen((cheap, nil)),
            remembered: ["desk": studio.identity, "face": cheap.identity])
        #expect(result.names == ["desk": "Cheap", "face": "Studio"])
        #expect(
            result.notes == [
                "desk: “Cheap” (usb:pci-0000:00:14.0-usb-0:2:1.0) is used because you chose it. Last time, “Studio” was used.",
                "face: the camera “Cheap” (usb:pci-0000:00:14.0-usb-0:2:1.0) is already used for desk, so “Studio” "
                    + "(usb:pci-0000:00:14.0-usb-0:1:1.0) is used.",
            ])
    }

    @Test("a camera chosen for another role of the profile is reserved for that role")
    func otherRole() throws {
        let result = try assign(
            profile([("desk", "any"), ("face", "any")]), chosen((cheap, "face"), (studio, "desk")),
            remembered: ["desk": studio.identity, "face": cheap.identity])
        #expect(result.names == ["desk": "Studio", "face": "Cheap"])
        #expect(result.notes.isEmpty)
    }

    @Test("the next connected choice is used; if none is connected, the role's previous camera is")
    func next() throws {
        let memory = chosen((cheap, nil), (third, nil))
        let one = profile([("desk", "any")])
        #expect(try assign(one, memory, among: [studio, third]).names == ["desk": "Third"])
        #expect(
            try assign(
                one, memory, among: [webcam(port: 4, name: "Fourth"), studio],
                remembered: ["desk": studio.identity]
            ).names == ["desk": "Studio"])
    }

    @Test("a note reports a preferred camera at another port, and a busy one isn't silently replaced")
    func elsewhere() throws {
        let moved = webcam(port: 7, serial: "B", name: "Cheap", problem: .inUse(by: "call"))
        let result = try assign(profile([("desk", "any")]), chosen((cheap, nil)), among: [studio, moved])
        #expect(result.names == ["desk": "Cheap"])
        #expect(
            result.notes == [
                "desk: the camera “Cheap” is now connected to another port: usb:pci-0000:00:14.0-usb-0:7:1.0."
            ])
    }

    @Test("the fixed policy uses only the role's previous camera, and the usual rules the first time")
    func fixed() throws {
        let fixed = profile([("desk", "any")], ChoiceSettings(policy: .fixed))
        let memory = chosen((cheap, nil))
        #expect(try assign(fixed, memory).names == ["desk": "Cheap"])
        let remembered = ["desk": studio.identity]
        #expect(try assign(fixed, memory, remembered: remembered).names == ["desk": "Studio"])
        let error = #expect(throws: DeviceError.self) {
            try assign(fixed, memory, among: [cheap], remembered: remembered)
        }
        #expect(error?.description.contains("“Studio”") == true)
        #expect(error?.description.contains("is not connected") == true)
    }

    @Test("a profile's preferred camera is used the first time, but never overrides a user's choice")
    func proposal() throws {
        let back = ChoiceSettings(policy: .follow, prefer: "Third")
        let first = try assign(profile([("desk", "any")], back))
        #expect(first.names == ["desk": "Third"])
        #expect(first.proposal == third.identity)
        let second = try assign(profile([("desk", "any")], back), chosen((cheap, nil)))
        #expect(second.names == ["desk": "Cheap"] && second.proposal == third.identity)
        var memory = ChoiceStore()
        memory[.multicam].cameras.propose(third.identity, by: "test", among: present)
        memory[.multicam].cameras.choose(cheap.identity, among: present)
        #expect(try assign(profile([("desk", "any")], back), memory).proposal == nil)
        // If every role names its camera, there is nothing to propose.
        #expect(try assign(profile([("desk", "Cheap")], back)).proposal == nil)
    }

    @Test("a missing preferred camera of a profile causes a note, and an ambiguous one an error")
    func noProposal() throws {
        let missing = try assign(profile([("desk", "any")], ChoiceSettings(prefer: "position:back")))
        #expect(missing.proposal == nil && missing.names == ["desk": "Studio"])
        #expect(missing.notes.first?.contains("(position:back) is not connected.") == true)
        let twins = [webcam(port: 4), webcam(port: 5)]
        let error = #expect(throws: DeviceError.self) {
            try assign(profile([("desk", "any")], ChoiceSettings(prefer: "webcam")), among: twins)
        }
        guard case .ambiguous(let candidates)? = error?.reason else {
            Issue.record("not refused as ambiguous")
            return
        }
        #expect(candidates.count == 2)
    }

    @Test("without a choice, the last used camera is taken if available, or else the first available one")
    func guess() throws {
        var memory = ChoiceStore()
        memory.recordStreaming([third.identity])
        #expect(try assign(profile([("desk", "any")]), memory).names == ["desk": "Third"])
        let busy = webcam(port: 3, serial: "C", name: "Third", problem: .inUse(by: nil))
        #expect(
            try assign(profile([("desk", "any")]), memory, among: [busy, cheap]).names == ["desk": "Cheap"])
    }

    // MARK: What is remembered

    private func record(
        _ profile: Profile, _ selections: [(String, String)], proposal: DeviceIdentity? = nil
    ) -> ChoiceRecord {
        ChoiceRecord(
            SessionConfiguration(
                profile: profile.name,
                cameras: selections.map { RoleSelection(role: $0.0, selector: $0.1) }),
            profile, proposal: proposal)
    }

    @Test("cameras named by the user are remembered, the first role's first; cameras found for `any` aren't")
    func remembered() {
        var memory = ChoiceStore()
        let roles = profile([("desk", "any"), ("face", "any"), ("side", "any")])
        record(roles, [("face", "Cheap"), ("desk", "Studio"), ("side", "any")])
            .record(["desk": studio, "face": cheap, "side": third], in: &memory)
        #expect(
            memory[.multicam].cameras.chosen == [
                DeviceHistory.Choice(identity: studio.identity, role: "desk"),
                DeviceHistory.Choice(identity: cheap.identity, role: "face"),
            ])
        #expect(memory.streamed == [studio.identity, cheap.identity, third.identity])
        record(roles, []).record(["desk": third], in: &memory)
        #expect(memory[.multicam].cameras.chosen.count == 2)
        #expect(memory.streamed == [third.identity, studio.identity, cheap.identity])
    }

    @Test("if a profile offers no choice, naming a camera applies only to that recording")
    func notOffered() {
        for policy in [CameraPolicy.follow, .fixed] {
            var memory = ChoiceStore()
            record(
                profile([("desk", "any")], ChoiceSettings(policy: policy)), [("desk", "Cheap")],
                proposal: third.identity
            ).record(["desk": cheap], in: &memory)
            #expect(memory[.multicam].cameras.chosen.isEmpty)
            #expect(memory[.multicam].cameras.proposed.map(\.identity) == [third.identity])
            #expect(memory[.multicam].cameras.hasProposal(by: "test"))
        }
    }

    @Test("each application has a separate history")
    func applications() throws {
        var memory = chosen((cheap, nil))
        let other = try #require(ApplicationIdentifier("org.example.call"))
        #expect(memory[other].cameras.isEmpty)
        memory[other].cameras.choose(third.identity, among: present)
        #expect(memory[.multicam].cameras.chosen.map(\.identity) == [cheap.identity])
        memory[other].cameras = DeviceHistory()
        for name in ["", "a b", "../x", "ü", String(repeating: "a", count: 101)] {
            #expect(ApplicationIdentifier(name) == nil)
        }
    }
}
