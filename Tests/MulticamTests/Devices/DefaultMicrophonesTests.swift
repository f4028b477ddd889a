import Testing

@testable import Profiles
@testable import Setup

@Suite("Several roles with the default microphone")
struct DefaultMicrophonesTests {
    private func roles(_ roles: [MicrophoneRole], count: Int) -> DefaultMicrophones {
        DefaultMicrophones(roles, count: count, isThereDefault: true)
    }

    private let two = [MicrophoneRole(role: "host-mic"), MicrophoneRole(role: "guest-mic")]

    @Test("two roles take two microphones where two are connected")
    func both() {
        let assigned = roles(two, count: 2)
        #expect(assigned.roles.map(\.selector) == ["default", "any"])
        #expect(assigned.others == ["guest-mic"])
        #expect(assigned.notes.isEmpty)
    }

    @Test("where one is connected, both are recorded from it, and the option that names another is told")
    func one() {
        let assigned = roles(two, count: 1)
        #expect(assigned.roles.map(\.selector) == ["default", "default"])
        #expect(assigned.notes.count == 1 && assigned.notes[0].contains("`--mic guest-mic=…`"))
    }

    @Test("roles that pick channels share one on purpose, and named microphones are left to their roles")
    func shared() {
        var picking = two
        picking[0].pick = [1]
        picking[1].pick = [2]
        #expect(roles(picking, count: 2).roles.map(\.selector) == ["default", "default"])
        #expect(roles(picking, count: 1).notes.isEmpty)
        let named = two + [MicrophoneRole(role: "room", device: "pulse:room")]
        #expect(roles(named, count: 2).roles.map(\.selector) == ["default", "default", "pulse:room"])
        #expect(roles(named, count: 3).roles.map(\.selector) == ["default", "any", "pulse:room"])
    }
}
