import Capture
import Media
import Testing

@testable import Plan
@testable import Profiles
@testable import Setup

@Suite("What a profile makes of choices")
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

    /// Who plays what, and what is said of it.
    private func assign(
        _ profile: Profile, _ memory: ChoiceMemory = ChoiceMemory(), among cameras: [CaptureDevice]? = nil,
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
            }, wish: choice.wish, best: { choice.best($1, offering: nil) })
        return (assignment.devices.mapValues(\.name), choice.notes + assignment.notes, choice.proposal)
    }

    private func chosen(_ devices: (CaptureDevice, String?)...) -> ChoiceMemory {
        var memory = ChoiceMemory()
        for (device, role) in devices.reversed() {
            memory[.multicam].cameras.choose(device.identity, for: role, among: present)
        }
        return memory
    }

    @Test("the first role with `any` gets the preferred camera; the others what is left")
    func leader() throws {
        let result = try assign(
            profile([("side", "Third"), ("desk", "any"), ("face", "any")]), chosen((cheap, nil)))
        #expect(result.names == ["side": "Third", "desk": "Cheap", "face": "Studio"])
        #expect(result.notes.isEmpty)
    }

    @Test("a preference counts more than what played the role last, and that is told")
    func preferred() throws {
        let result = try assign(
            profile([("desk", "any"), ("face", "any")]), chosen((cheap, nil)),
            remembered: ["desk": studio.identity, "face": cheap.identity])
        #expect(result.names == ["desk": "Cheap", "face": "Studio"])
        #expect(
            result.notes == [
                "desk: “Cheap” (usb:pci-0000:00:14.0-usb-0:2:1.0) is taken, as you chose it; “Studio” played it last.",
                "face: its camera “Cheap” (usb:pci-0000:00:14.0-usb-0:2:1.0) is taken by desk, so “Studio” "
                    + "(usb:pci-0000:00:14.0-usb-0:1:1.0) is taken.",
            ])
    }

    @Test("a camera that was chosen for another role of the profile is left to that role")
    func otherRole() throws {
        let result = try assign(
            profile([("desk", "any"), ("face", "any")]), chosen((cheap, "face"), (studio, "desk")),
            remembered: ["desk": studio.identity, "face": cheap.identity])
        #expect(result.names == ["desk": "Studio", "face": "Cheap"])
        #expect(result.notes.isEmpty)
    }

    @Test("the next choice that is there counts; with none of them there, what played the role last")
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

    @Test("a preferred camera at another port is told, and a busy one is not replaced in silence")
    func elsewhere() throws {
        let moved = webcam(port: 7, serial: "B", name: "Cheap", problem: .inUse(by: "call"))
        let result = try assign(profile([("desk", "any")]), chosen((cheap, nil)), among: [studio, moved])
        #expect(result.names == ["desk": "Cheap"])
        #expect(
            result.notes == [
                "desk: its camera “Cheap” is at another port now: usb:pci-0000:00:14.0-usb-0:7:1.0."
            ])
    }

    @Test("what is fixed is what played the role last, and nothing else; the first time it is as always")
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

    @Test("a profile begins with a camera the first time, and never before what a person chose")
    func proposal() throws {
        let back = ChoiceSettings(policy: .follow, prefer: "Third")
        let first = try assign(profile([("desk", "any")], back))
        #expect(first.names == ["desk": "Third"])
        #expect(first.proposal == third.identity)
        let second = try assign(profile([("desk", "any")], back), chosen((cheap, nil)))
        #expect(second.names == ["desk": "Cheap"] && second.proposal == third.identity)
        var memory = ChoiceMemory()
        memory[.multicam].cameras.propose(third.identity, by: "test", among: present)
        memory[.multicam].cameras.choose(cheap.identity, among: present)
        #expect(try assign(profile([("desk", "any")], back), memory).proposal == nil)
        // Where every role names its camera there is nothing to begin with.
        #expect(try assign(profile([("desk", "Cheap")], back)).proposal == nil)
    }

    @Test("a camera to begin with that is not there is told, and one that could be several is refused")
    func noProposal() throws {
        let missing = try assign(profile([("desk", "any")], ChoiceSettings(prefer: "position:back")))
        #expect(missing.proposal == nil && missing.names == ["desk": "Studio"])
        #expect(missing.notes.first?.contains("--set CAMERA --position back") == true)
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

    @Test("without any choice: what has streamed and can be used now, else the first that can")
    func guess() throws {
        var memory = ChoiceMemory()
        memory.stream([third.identity])
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
            SetupRequest(
                profile: profile.name,
                cameras: selections.map { RoleSelection(role: $0.0, selector: $0.1) }),
            profile, proposal: proposal)
    }

    @Test("what a person named is remembered, the first role's foremost; what was found for `any` is not")
    func remembered() {
        var memory = ChoiceMemory()
        let roles = profile([("desk", "any"), ("face", "any"), ("side", "any")])
        record(roles, [("face", "Cheap"), ("desk", "Studio"), ("side", "any")])
            .enter(["desk": studio, "face": cheap, "side": third], into: &memory)
        #expect(
            memory[.multicam].cameras.chosen == [
                DeviceHistory.Choice(identity: studio.identity, role: "desk"),
                DeviceHistory.Choice(identity: cheap.identity, role: "face"),
            ])
        #expect(memory.streamed == [studio.identity, cheap.identity, third.identity])
        record(roles, []).enter(["desk": third], into: &memory)
        #expect(memory[.multicam].cameras.chosen.count == 2)
        #expect(memory.streamed == [third.identity, studio.identity, cheap.identity])
    }

    @Test("where a profile offers no choice, naming a camera is for that recording only")
    func notOffered() {
        for policy in [CameraPolicy.follow, .fixed] {
            var memory = ChoiceMemory()
            record(
                profile([("desk", "any")], ChoiceSettings(policy: policy)), [("desk", "Cheap")],
                proposal: third.identity
            ).enter(["desk": cheap], into: &memory)
            #expect(memory[.multicam].cameras.chosen.isEmpty)
            #expect(memory[.multicam].cameras.proposed.map(\.identity) == [third.identity])
            #expect(memory[.multicam].cameras.hasProposal(by: "test"))
        }
    }

    @Test("each application has a history of its own")
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
