import Capture
import Media
import Testing

@testable import Setup

@Suite("Which device plays which role")
struct RoleAssignmentTests {
    private typealias Role = RoleAssignment.Role

    /// Two twins without serial numbers at ports 1 and 2, and a studio camera with one at port 3.
    private let twins = [webcam(port: 1), webcam(port: 2)]
    private let studio = webcam(port: 3, serial: "LAB0001", name: "Studio")

    private func assign(
        _ roles: [(String, String)], present: [CaptureDevice], remembered: [String: DeviceIdentity] = [:],
        kind: RoleAssignment.Kind = .camera
    ) throws(DeviceError) -> RoleAssignment {
        try RoleAssignment(
            roles.map { Role(name: $0.0, selector: $0.1) }, kind: kind, present: present,
            remembered: remembered,
            named: { selector throws(DeviceError) in
                try DeviceSelector.resolve(selector, kind: kind.name, among: present)
            },
            best: { _, free in free.first })
    }

    @Test("without a memory, `any` takes the first that is left, and nothing is to be said of it")
    func any() throws {
        let assignment = try assign(
            [("desk", "any"), ("face", "any"), ("side", "/dev/video1")], present: twins + [studio])
        #expect(
            assignment.devices.mapValues(\.node) == [
                "side": "/dev/video1", "desk": "/dev/video2", "face": "/dev/video3",
            ])
        #expect(assignment.notes.isEmpty)
    }

    @Test("`any` and `remembered` take the device that is remembered, wherever it is in the list")
    func remembered() throws {
        let assignment = try assign(
            [("desk", "any"), ("face", "remembered"), ("side", "any")], present: twins + [studio],
            remembered: ["desk": studio.identity, "face": twins[1].identity])
        #expect(assignment.devices == ["desk": studio, "face": twins[1], "side": twins[0]])
        #expect(assignment.notes.isEmpty)
    }

    @Test(
        "a device that moved is found by its serial number, or as the only one of its kind, and that is told")
    func moved() throws {
        let before = webcam(port: 7, serial: "LAB0001", name: "Studio").identity
        let assignment = try assign(
            [("desk", "any"), ("face", "remembered")], present: [twins[0], studio],
            remembered: ["desk": before, "face": webcam(port: 9).identity])
        #expect(assignment.devices == ["desk": studio, "face": twins[0]])
        #expect(
            assignment.notes == [
                "desk: its camera “Studio” is at another port now: usb:pci-0000:00:14.0-usb-0:3:1.0.",
                "face: its camera “Webcam” is at another port now: usb:pci-0000:00:14.0-usb-0:1:1.0.",
            ])
    }

    @Test("where the remembered device is absent, `any` takes another and says why; `remembered` refuses")
    func absent() throws {
        let memory = ["desk": studio.identity]
        let assignment = try assign([("desk", "any")], present: twins, remembered: memory)
        #expect(assignment.devices == ["desk": twins[0]])
        #expect(
            assignment.notes == [
                "desk: its camera “Studio” (usb:pci-0000:00:14.0-usb-0:3:1.0 046d:0825 serial:LAB0001) is not connected, "
                    + "so “Webcam” (usb:pci-0000:00:14.0-usb-0:1:1.0) is taken."
            ])
        let error = #expect(throws: DeviceError.self) {
            try assign([("desk", "remembered")], present: twins, remembered: memory)
        }
        #expect(error?.description.contains("camera desk (remembered)") == true)
        #expect(error?.description.contains("“Studio”") == true)
        #expect(error?.description.contains("is not connected") == true)
        #expect(error?.description.contains("--camera desk=") == true)
    }

    @Test("nothing remembered: `remembered` says how to begin")
    func nothing() {
        let error = #expect(throws: DeviceError.self) {
            try assign([("host", "remembered")], present: twins, kind: .microphone)
        }
        #expect(
            error?.description
                == "microphone host (remembered): search failed: no microphone is remembered for this role. "
                + "Record once with `--mic host=…`.")
    }

    @Test(
        "what could be either of two twins is refused with both listed, whichever word asks",
        arguments: ["any", "remembered"])
    func twins(selector: String) {
        let error = #expect(throws: DeviceError.self) {
            try assign(
                [("desk", selector)], present: twins, remembered: ["desk": webcam(port: 9).identity])
        }
        #expect(
            error?.reason
                == .ambiguous(candidates: [
                    "usb:pci-0000:00:14.0-usb-0:1:1.0 (Webcam)", "usb:pci-0000:00:14.0-usb-0:2:1.0 (Webcam)",
                ]))
    }

    @Test("a twin that another role has for certain is no candidate")
    func otherTwin() throws {
        let memory = ["desk": webcam(port: 9).identity, "face": twins[0].identity]
        let both = try assign([("desk", "any"), ("face", "any")], present: twins, remembered: memory)
        #expect(both.devices == ["desk": twins[1], "face": twins[0]])
        let named = try assign(
            [("desk", "any"), ("side", "/dev/video1")], present: twins, remembered: memory)
        #expect(named.devices == ["desk": twins[1], "side": twins[0]])
    }

    @Test("two roles that remember one device do not both get it")
    func shared() throws {
        let memory = ["desk": studio.identity, "face": studio.identity]
        let assignment = try assign(
            [("desk", "any"), ("face", "any")], present: [studio] + twins, remembered: memory)
        #expect(assignment.devices == ["desk": studio, "face": twins[0]])
        #expect(assignment.notes.count == 1)
        #expect(assignment.notes.first?.hasPrefix("face: its camera “Studio”") == true)
        #expect(assignment.notes.first?.contains("is taken by desk") == true)
        let error = #expect(throws: DeviceError.self) {
            try assign(
                [("desk", "any"), ("face", "remembered")], present: [studio] + twins, remembered: memory)
        }
        #expect(error?.description.contains("is taken by desk") == true)
        let named = #expect(throws: DeviceError.self) {
            try assign(
                [("desk", "serial:LAB0001"), ("face", "remembered")], present: [studio] + twins,
                remembered: memory)
        }
        #expect(named?.description.contains("is taken by desk") == true)
    }

    @Test("what a person names is taken as named: never by memory, and never one of two that fit")
    func explicit() throws {
        let memory = ["desk": twins[0].identity]
        let assignment = try assign([("desk", "studio")], present: twins + [studio], remembered: memory)
        #expect(assignment.devices == ["desk": studio])
        let error = #expect(throws: DeviceError.self) {
            try assign([("desk", "webcam")], present: twins, remembered: memory)
        }
        guard case .ambiguous(let candidates)? = error?.reason else {
            Issue.record("not refused as ambiguous: \(String(describing: error))")
            return
        }
        #expect(candidates.count == 2)
    }

    @Test("more roles than cameras is an error that says so")
    func tooFew() {
        let error = #expect(throws: DeviceError.self) {
            try assign([("desk", "any"), ("face", "any")], present: [studio])
        }
        #expect(error?.description.contains("all 1 cameras are taken") == true)
        let none = #expect(throws: DeviceError.self) { try assign([("desk", "any")], present: []) }
        #expect(none?.description.contains("no camera is connected") == true)
    }
}
