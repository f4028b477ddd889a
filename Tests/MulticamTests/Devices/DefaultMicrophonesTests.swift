import Testing

@testable import MulticamProfiles
@testable import MulticamSetup

@Suite("Several roles with the default microphone")
struct DefaultMicrophonesTests {
    private func roles(_ roles: [MicrophoneRole], count: Int) -> DefaultMicrophones {
        DefaultMicrophones(roles, count: count, hasDefault: true)
    }

    private let two = [MicrophoneRole(role: "host-mic"), MicrophoneRole(role: "guest-mic")]

    @Test("two roles use two microphones if two are connected")
    func both() {
        let assigned = roles(two, count: 2)
        #expect(assigned.roles.map(\.selector) == ["default", "any"])
        #expect(assigned.others == ["guest-mic"])
        #expect(assigned.notes.isEmpty)
    }

    @Test("if one microphone is connected, both roles use it, and a note names the second one")
    func one() {
        let assigned = roles(two, count: 1)
        #expect(assigned.roles.map(\.selector) == ["default", "default"])
        #expect(
            assigned.notes.count == 1 && assigned.notes[0].hasPrefix("guest-mic uses the same microphone as ")
        )
    }

    @Test("roles that select channels share one microphone, and named microphones stay with their roles")
    func shared() {
        var selecting = two
        selecting[0].sourceChannels = [1]
        selecting[1].sourceChannels = [2]
        #expect(roles(selecting, count: 2).roles.map(\.selector) == ["default", "default"])
        #expect(roles(selecting, count: 1).notes.isEmpty)
        let named = two + [MicrophoneRole(role: "room", device: "pulse:room")]
        #expect(roles(named, count: 2).roles.map(\.selector) == ["default", "default", "pulse:room"])
        #expect(roles(named, count: 3).roles.map(\.selector) == ["default", "any", "pulse:room"])
    }
}
