import MulticamCapture
import MulticamMedia
import Testing

@testable import MulticamSetup

@Suite("Assignment of devices to roles")
struct RoleAssignmentTests {
    private typealias Role = RoleAssignment.Role

    /// Two identical cameras without serial numbers at ports 1 and 2, and a studio camera with a serial
    /// number at port 3.
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

    @Test("without a remembered device, `any` takes the first free one, without a note")
    func any() throws {
        let assignment = try assign(
            [("desk", "any"), ("face", "any"), ("side", "/dev/video1")], present: twins + [studio])
        #expect(
            assignment.devices.mapValues(\.node) == [
                "side": "/dev/video1", "desk": "/dev/video2", "face": "/dev/video3",
            ])
        #expect(assignment.notes.isEmpty)
    }

    @Test("`any` and `remembered` take the remembered device at any position in the list")
    func remembered() throws {
        let assignment = try assign(
            [("desk", "any"), ("face", "remembered"), ("side", "any")], present: twins + [studio],
            remembered: ["desk": studio.identity, "face": twins[1].identity])
        #expect(assignment.devices == ["desk": studio, "face": twins[1], "side": twins[0]])
        #expect(assignment.notes.isEmpty)
    }

    @Test(
        "a device that moved is found by its serial number or as the only one of its model, with a note")
    func moved() throws {
        let before = webcam(port: 7, serial: "LAB0001", name: "Studio").identity
        let assignment = try assign(
            [("desk", "any"), ("face", "remembered")], present: [twins[0], studio],
            remembered: ["desk": before, "face": webcam(port: 9).identity])
        #expect(assignment.devices == ["desk": studio, "face": twins[0]])
        #expect(
            assignment.notes == [
                "desk: the camera “Studio” is now connected to another port: usb:pci-0000:00:14.0-usb-0:3:1.0.",
                "face: the camera “Webcam” is now connected to another port: usb:pci-0000:00:14.0-usb-0:1:1.0.",
            ])
    }

    @Test("if the remembered device is missing, `any` takes another with a note, and `remembered` fails")
    func absent() throws {
        let memory = ["desk": studio.identity]
        let assignment = try assign([("desk", "any")], present: twins, remembered: memory)
        #expect(assignment.devices == ["desk": twins[0]])
        #expect(
            assignment.notes == [
                "desk: the camera “Studio” (usb:pci-0000:00:14.0-usb-0:3:1.0 046d:0825 serial:LAB0001) is not connected, "
                    + "so “Webcam” (usb:pci-0000:00:14.0-usb-0:1:1.0) is used."
            ])
        let error = #expect(throws: DeviceError.self) {
            try assign([("desk", "remembered")], present: twins, remembered: memory)
        }
        #expect(error?.description.contains("camera desk (remembered)") == true)
        #expect(error?.description.contains("“Studio”") == true)
        #expect(error?.description.contains("is not connected") == true)
        #expect(error?.description.contains("choose another device") == true)
    }

    @Test("without a remembered device, the error of `remembered` states how to choose one")
    func nothing() {
        let error = #expect(throws: DeviceError.self) {
            try assign([("host", "remembered")], present: twins, kind: .microphone)
        }
        #expect(
            error?.description
                == "microphone host (remembered): choosing a device failed: no microphone was saved for this role. Choose one."
        )
    }

    @Test(
        "an ambiguous choice between identical cameras is refused with a list of both, for either selector",
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

    @Test("an identical camera that another role uses isn't a candidate")
    func otherTwin() throws {
        let memory = ["desk": webcam(port: 9).identity, "face": twins[0].identity]
        let both = try assign([("desk", "any"), ("face", "any")], present: twins, remembered: memory)
        #expect(both.devices == ["desk": twins[1], "face": twins[0]])
        let named = try assign(
            [("desk", "any"), ("side", "/dev/video1")], present: twins, remembered: memory)
        #expect(named.devices == ["desk": twins[1], "side": twins[0]])
    }

    @Test("two roles that remember the same device don't both get it")
    func shared() throws {
        let memory = ["desk": studio.identity, "face": studio.identity]
        let assignment = try assign(
            [("desk", "any"), ("face", "any")], present: [studio] + twins, remembered: memory)
        #expect(assignment.devices == ["desk": studio, "face": twins[0]])
        #expect(assignment.notes.count == 1)
        #expect(assignment.notes.first?.hasPrefix("face: the camera “Studio”") == true)
        #expect(assignment.notes.first?.contains("is already used for desk") == true)
        let error = #expect(throws: DeviceError.self) {
            try assign(
                [("desk", "any"), ("face", "remembered")], present: [studio] + twins, remembered: memory)
        }
        #expect(error?.description.contains("is already used for desk") == true)
        let named = #expect(throws: DeviceError.self) {
            try assign(
                [("desk", "serial:LAB0001"), ("face", "remembered")], present: [studio] + twins,
                remembered: memory)
        }
        #expect(named?.description.contains("is already used for desk") == true)
    }

    @Test("an explicit selector overrides the remembered device, and is refused if it is ambiguous")
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

    @Test("the error for more roles than cameras states the reason")
    func tooFew() {
        let error = #expect(throws: DeviceError.self) {
            try assign([("desk", "any"), ("face", "any")], present: [studio])
        }
        #expect(error?.description.contains("all 1 cameras are already used") == true)
        let none = #expect(throws: DeviceError.self) { try assign([("desk", "any")], present: []) }
        #expect(none?.description.contains("no camera is connected") == true)
    }
}
